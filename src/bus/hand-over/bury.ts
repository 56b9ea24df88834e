/** [B3] Messages that were delivered too often without an ack become dead letters with the next write to their inbox. */
import { idOf } from "../../contract/ids.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all, one } from "../../sql/procedure.ts";
import { alike, nothing, type Sql, sql } from "../../sql/sql.ts";
import { aged, doomed } from "../channel.ts";
import { append } from "../event.ts";
import { type MessageRow, messageColumns, write } from "../message.ts";

export function* buryIn(tx: Context, channel: string): Procedure<void> {
  yield* tx.own(`inbox:${channel}`);
  yield* buryDoomed(tx, yield* tx.clock(), channel);
}

/** Takes these messages out of the inbox and notifies their senders. */
export function* buryDoomed(tx: Context, now: string, channel?: string): Procedure<void> {
  yield* buryAll(tx, yield* doomedIn(tx, now, channel), now);
}

export function* doomedIn(tx: Context, now: Sql | string, channel?: string): Procedure<MessageRow[]> {
  const where = channel === undefined ? nothing : sql`and messages.to_agent = ${channel}`;
  return yield* all<MessageRow>(
    alike(sql`select ${messageColumns} from messages where ${doomed(now)} ${where} ${tx.forUpdateFree}`),
  );
}

export function* buryAll(tx: Context, rows: readonly MessageRow[], now: string): Procedure<void> {
  // Sorted here and not in SQL: a planner would walk through all messages in that order to find these few.
  for (const row of rows.toSorted((a, b) => a.message_id - b.message_id))
    yield* bury(tx, aged(row, now), now);
}

export function* bury(tx: Context, row: MessageRow, now: string, tell = true): Procedure<void> {
  const reason = row.dead_reason!;
  // A caller that shares this transaction may have done it already: its locks do not stop us.
  const buried = yield* one(sql`
    update messages set dead_at = ${row.dead_at}, dead_reason = ${reason}, lapses = ${row.lapses}, manual = 0,
      delivery_id = null, hidden_until = null
    where message_id = ${row.message_id} and dead_at is null returning message_id`);
  if (!buried) return;
  const payload = { channel: row.to_agent, reason };
  const told = { ...row, to_agent: row.from_agent };
  yield* append(tx, { type: "message.dead", source: row.to_agent, message: told, payload, now });
  if (!tell) return;
  const summary = `${idOf("message", row.message_id)} to "${row.to_agent}" is a dead letter: ${reason}`;
  const head = { thread: null, from: row.to_agent, to: row.from_agent, kind: "control" } as const;
  const notice = yield* write(
    { ...tx, verified: false },
    head,
    { summary, payload: { dead: row.message_id, reason } },
    now,
  );
  yield* append(tx, { type: "message.sent", source: row.to_agent, message: notice.row, now });
}
