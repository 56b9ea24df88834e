/** [Q16] How many sub-agents are started at once: as many as the machine can take, not as many as are queued. */
import { memoryLeft } from "../platform/memory.ts";

/** A keeper that starts needs a core for a tenth of a second, and the agent program behind it for longer. */
const startsPerCore = 2;
/** Kilobytes that must be left for another one; what runs already is not to be killed for want of memory. */
const memoryFor = 256 * 1024;

export function startsAtOnce(): number {
  const most = Math.max(4, startsPerCore * navigator.hardwareConcurrency);
  // One at a time is always tried: memory may be short for other reasons, and for long.
  return Math.max(1, Math.min(most, Math.floor(memoryLeft() / memoryFor)));
}
