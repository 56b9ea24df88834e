/** [B6] Dead letters, oldest first. */
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { joined, sql } from "../../sql/sql.ts";
import { aged, fitted } from "../channel.ts";
import { deadLetters, deadView } from "../dead-letter.ts";
import { visible } from "../visible.ts";

export function* deadLettersList(
  tx: Context,
  input: ParsedOf<"deadLetters.list">,
): Procedure<OutputOf<"deadLetters.list">> {
  const now = yield* tx.clock();
  const conditions = [sql`messages.message_id > ${input.afterId ?? 0}`, ...visible.messages(tx)];
  if (input.channel !== undefined) conditions.push(sql`messages.to_agent = ${input.channel}`);
  const rows = yield* deadLetters(now, joined(conditions, " and "), input.limit);
  const messages = fitted(rows).map((row) => deadView(aged(row, now)));
  return { messages, count: messages.length };
}
