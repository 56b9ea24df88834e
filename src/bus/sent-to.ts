/** To whom a thread was sent, for a claim by another agent. */
import type { Procedure } from "../sql/procedure.ts";
import { namesOf } from "./agent.ts";
import type { ThreadRow } from "./thread.ts";

/** [T12.7] The agent or pool that the thread was sent to, if work for it does not reach the agent. */
export function* takenFromOthers(
  { addressed_to: sentTo }: ThreadRow,
  agent: string,
  names?: readonly string[],
): Procedure<{ sentTo?: string }> {
  const reaches = sentTo === agent || (names ?? (yield* namesOf(agent))).includes(sentTo);
  return reaches ? {} : { sentTo };
}
