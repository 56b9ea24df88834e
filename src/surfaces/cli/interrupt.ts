/**
 * [Q11] Ctrl-C ends the waiting, and not what is waited for: a sub-agent goes on, and whoever typed it is told its name.
 * The second one ends the program at once.
 */
import { endOfWait } from "../../inbox/inbox.ts";

export const exitInterrupted = 130;

export function untilInterrupted(): AbortSignal {
  const ending = new AbortController();
  process.once("SIGINT", () => ending.abort(endOfWait));
  return ending.signal;
}
