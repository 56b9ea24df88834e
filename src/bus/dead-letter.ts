/** [B6] Which messages are dead letters, how they are shown, and which of them a call refers to. */

import type { DeadLetter } from "../contract/dead-letter.ts";
import { InboxError } from "../contract/errors.ts";
import { idOf } from "../contract/ids.ts";
import type { ParsedOf } from "../contract/operations/index.ts";
import { call, phrase } from "../contract/phrase.ts";
import type { Context, Procedure } from "../sql/procedure.ts";
import { all } from "../sql/procedure.ts";
import { joined, literal, type Sql, sql } from "../sql/sql.ts";
import { channelView, doomed, findMessage, unexpired } from "./channel.ts";
import { type MessageRow, messageColumns } from "./message.ts";
import { and, visible } from "./visible.ts";

/** [M5] Expired messages are in no list, and not in this one either. */
export const isDead = (now: string) =>
  sql`(messages.dead_at is not null or (${doomed(now)})) and ${unexpired(now)}`;

export const noDeadLetter = (id: number) =>
  new InboxError("not_found", `there is no dead letter ${id}`, {
    hint: phrase`${call("deadLetters.list")} lists the dead letters`,
  });

export const deadView = (row: MessageRow): DeadLetter => ({
  ...channelView(row),
  deadAt: row.dead_at!,
  deadReason: row.dead_reason ?? "",
  lapses: row.lapses,
});

/**
 * Those that meet a condition, oldest first. What is stored as dead and what has become so are asked apart: no index has both.
 * The latter are few, and without an order of their own: a planner would walk all messages in it to find them.
 */
export const deadLetters = (now: string, condition: Sql, limit: number): Procedure<MessageRow[]> =>
  all<MessageRow>(sql`
    select * from (
      select * from (select ${messageColumns} from messages where messages.dead_at is not null and ${unexpired(now)} and ${condition}
        order by messages.message_id limit ${literal(limit)}) as part
      union all select ${messageColumns} from messages where ${doomed(now)} and ${unexpired(now)} and ${condition}
    ) as parts order by parts.message_id limit ${literal(limit)}`);

export type Which = ParsedOf<"deadLetters.requeue">;

export const idsOf = (rows: readonly MessageRow[]): Sql => joined(rows.map((row) => row.message_id));

export const lettersPayload = (rows: readonly MessageRow[], channel?: string) => ({
  messages: rows.map((row) => idOf("message", row.message_id)),
  ...(channel !== undefined && { channel }),
});

export function* chosenLetters(tx: Context, { id, channel }: Which, now: string): Procedure<MessageRow[]> {
  if (id === undefined && channel === undefined)
    throw new InboxError(
      "invalid_input",
      "give the id of one dead letter, or a channel for all of its dead letters",
      {
        hint: phrase`${call("deadLetters.list")} shows the ids and the channels`,
      },
    );
  if (id !== undefined) return [yield* findMessage(id, isDead(now), noDeadLetter)];
  return yield* deadLetters(now, sql`messages.to_agent = ${channel!} ${and(visible.messages(tx))}`, 10_000);
}
