/** Answers for people, by operation. Agents read JSON. */
import type { AnyOperation } from "../../contract/operation.ts";
import { type OperationName, type OutputOf, operationNamed } from "../../contract/operations/index.ts";
import { type Spelling, spelled } from "../../contract/phrase.ts";
import type { Apart, Render } from "./noun-renders.ts";
import type { Paint } from "./paint.ts";
import { agentRenders } from "./render-agents.ts";
import { auditRenders } from "./render-audit.ts";
import { busRenders } from "./render-bus.ts";
import { costRenders } from "./render-costs.ts";
import { deadLetterRenders } from "./render-dead-letters.ts";
import { entryRenders } from "./render-entries.ts";
import { eventRenders } from "./render-events.ts";
import { mailboxRenders } from "./render-mailbox.ts";
import { messageRenders } from "./render-messages.ts";
import { muteRenders } from "./render-mutes.ts";
import { notificationRenders } from "./render-notifications.ts";
import { poolRenders } from "./render-pools.ts";
import { quotaRenders } from "./render-quotas.ts";
import { retentionRenders } from "./render-retention.ts";
import { searchRenders } from "./render-search.ts";
import { statsRenders } from "./render-stats.ts";
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
  ...auditRenders,
  ...taskRenders,
  ...workspaceRenders,
  ...entryRenders,
  ...muteRenders,
  ...notificationRenders,
  ...quotaRenders,
  ...costRenders,
  ...retentionRenders,
  ...searchRenders,
  ...statsRenders,
  ...tokenRenders,
};

/** `spelling`: how the reader's surface writes references in an answer. */
export function renderApart<N extends OperationName>(
  name: N,
  output: OutputOf<N>,
  paint: Paint,
  spelling: (op: AnyOperation) => Spelling,
): Apart {
  const written = spelling(operationNamed(name) as AnyOperation);
  const rendered = (renders[name] as Render<N>)(output, paint, (text) => spelled(text, written));
  return typeof rendered === "string" ? { text: `${rendered}\n`, aside: "" } : withLineEnds(rendered);
}

const withLineEnds = ({ text, aside }: Apart): Apart => ({
  text: text && `${text}\n`,
  aside: aside && `${aside}\n`,
});

/** For surfaces with one place for all of it. */
export const render: <N extends OperationName>(...args: Parameters<typeof renderApart<N>>) => string = (
  ...args
) => {
  const { text, aside } = renderApart(...args);
  return (text + aside).slice(0, -1);
};
