/** [B6] Dead letters, oldest first. */
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all } from "../../sql/procedure.ts";
import { literal, nothing, sql } from "../../sql/sql.ts";
import { aged, fitted } from "../channel.ts";
import { deadView, isDead } from "../dead-letter.ts";
import { type MessageRow, messageColumns } from "../message.ts";
import { and, visible } from "../visible.ts";

export function* deadLettersList(
  tx: Context,
  input: ParsedOf<"deadLetters.list">,
): Procedure<OutputOf<"deadLetters.list">> {
  const now = yield* tx.clock();
  const channel = input.channel === undefined ? nothing : sql`and messages.to_agent = ${input.channel}`;
  const rows = yield* all<MessageRow>(sql`
    select ${messageColumns} from messages where ${isDead(now)} and messages.message_id > ${input.afterId ?? 0} ${channel} ${and(visible.messages(tx))}
    order by messages.message_id limit ${literal(input.limit)}`);
  const messages = fitted(rows).map((row) => deadView(aged(row, now)));
  return { messages, count: messages.length };
}
