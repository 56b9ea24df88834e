import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all } from "../../sql/procedure.ts";
import { literal, sql } from "../../sql/sql.ts";
import { aged, channelView, fitted, unexpired } from "../channel.ts";
import { type MessageRow, messageColumns } from "../message.ts";
import { and, visible } from "../visible.ts";

/** [M8] Every message with that id but the first, across channels. */
export function* messagesReplies(
  tx: Context,
  input: ParsedOf<"messages.replies">,
): Procedure<OutputOf<"messages.replies">> {
  const { correlationId, limit } = input;
  const now = yield* tx.clock();
  const rows = yield* all<MessageRow>(sql`
    select ${messageColumns} from messages where messages.correlation_id = ${correlationId} and messages.reply = 1
      and ${unexpired(now)} ${and(visible.messages(tx))}
    order by messages.message_id limit ${literal(limit)}`);
  const messages = fitted(rows).map((row) => channelView(aged(row, now)));
  return { messages, correlationId, count: messages.length };
}
