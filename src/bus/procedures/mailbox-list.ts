/** What waits in an inbox. Changes nothing. */
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { one } from "../../sql/procedure.ts";
import { nothing, sql } from "../../sql/sql.ts";
import { deliverable } from "../channel.ts";
import { waitingMail } from "../hand-over/next.ts";
import { and, visible } from "../visible.ts";

export function* mailboxList(
  tx: Context,
  { agent, from, limit }: ParsedOf<"mailbox.list">,
): Procedure<OutputOf<"mailbox.list">> {
  const seen = and(visible.messages(tx));
  const { messages, hidden } = yield* waitingMail(tx, { agent, from, max: limit, seen });
  const now = yield* tx.clock();
  const sender = from === undefined ? nothing : sql`and messages.from_agent = ${from}`;
  const row = yield* one<{ count: number }>(
    sql`select count(*) as count from messages where messages.to_agent = ${agent} and ${deliverable(now)} ${sender} ${seen}`,
  );
  return { messages, total: row!.count, hidden };
}
