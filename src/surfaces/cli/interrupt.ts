/**
 * [Q11] Ctrl-C ends the wait, but not the sub-agent that is waited for: its name is printed. A second Ctrl-C ends the
 * program at once.
 */
import { endOfWait } from "../../inbox/inbox.ts";

export const exitInterrupted = 130;

export function untilInterrupted(): AbortSignal {
  const ending = new AbortController();
  process.once("SIGINT", () => ending.abort(endOfWait));
  return ending.signal;
}
