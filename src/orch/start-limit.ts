/** [Q16] How many sub-agents may start at once: as many as the machine has room for, not as many as are queued. */
import { memoryLeft } from "../platform/memory.ts";

/** A keeper that starts needs a core for a tenth of a second, and the agent program for longer. */
const startsPerCore = 2;
/** Kilobytes of memory that must be free for another one; running programs must not be killed for lack of memory. */
const memoryFor = 256 * 1024;

export function startsAtOnce(): number {
  const most = Math.max(4, startsPerCore * navigator.hardwareConcurrency);
  // One at a time is always tried: memory may be low for other reasons, and for a long time.
  return Math.max(1, Math.min(most, Math.floor(memoryLeft() / memoryFor)));
}
