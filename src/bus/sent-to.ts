/** To whom a thread was sent, for a claim by another agent. */
import { known, type Procedure } from "../sql/procedure.ts";
import { namesOf } from "./agent.ts";
import type { ThreadRow } from "./thread.ts";

/** [T12.7] The agent or pool that the thread was sent to, if work for it does not reach the agent. */
export function takenFromOthers(
  { addressed_to: sentTo }: ThreadRow,
  agent: string,
  names?: readonly string[],
): Procedure<{ sentTo?: string }> {
  if (sentTo === agent) return itself;
  if (names) return known(unless(names.includes(sentTo), sentTo));
  return toldByPools(agent, sentTo);
}

function* toldByPools(agent: string, sentTo: string): Procedure<{ sentTo?: string }> {
  return unless((yield* namesOf(agent)).includes(sentTo), sentTo);
}

const unless = (reaches: boolean, sentTo: string) => (reaches ? {} : { sentTo });
const itself = known<{ sentTo?: string }>({});
