/** Answers for people, by operation. Agents read `--json`. */
import type { OperationName, OutputOf } from "../../contract/operations/index.ts";
import type { Render } from "./noun-renders.ts";
import type { Paint } from "./paint.ts";
import { agentRenders } from "./render-agents.ts";
import { busRenders } from "./render-bus.ts";
import { deadLetterRenders } from "./render-dead-letters.ts";
import { entryRenders } from "./render-entries.ts";
import { eventRenders } from "./render-events.ts";
import { mailboxRenders } from "./render-mailbox.ts";
import { messageRenders } from "./render-messages.ts";
import { poolRenders } from "./render-pools.ts";
import { quotaRenders } from "./render-quotas.ts";
import { retentionRenders } from "./render-retention.ts";
import { searchRenders } from "./render-search.ts";
import { taskRenders } from "./render-tasks.ts";
import { threadRenders } from "./render-threads.ts";
import { tokenRenders } from "./render-tokens.ts";
import { workspaceRenders } from "./render-workspaces.ts";

const renders: { [N in OperationName]: Render<N> } = {
  ...busRenders,
  ...threadRenders,
  ...eventRenders,
  ...mailboxRenders,
  ...messageRenders,
  ...deadLetterRenders,
  ...poolRenders,
  ...agentRenders,
  ...taskRenders,
  ...workspaceRenders,
  ...entryRenders,
  ...quotaRenders,
  ...retentionRenders,
  ...searchRenders,
  ...tokenRenders,
};

export function render<N extends OperationName>(name: N, output: OutputOf<N>, paint: Paint): string {
  return (renders[name] as Render<N>)(output, paint);
}
