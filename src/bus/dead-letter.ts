/** [B6] Dead letters: looking at them, putting them back, throwing them away. */

import type { DeadLetter } from "../contract/dead-letter.ts";
import { InboxError } from "../contract/errors.ts";
import { idOf } from "../contract/ids.ts";
import type { OutputOf, ParsedOf } from "../contract/operations/index.ts";
import type { Context, Procedure } from "../sql/procedure.ts";
import { all, alone, run } from "../sql/procedure.ts";
import { joined, literal, nothing, type Sql, sql } from "../sql/sql.ts";
import { seen } from "./agent.ts";
import { aged, channelView, doomed, findMessage, fitted, unexpired } from "./channel.ts";
import { append } from "./event.ts";
import { buryDoomed } from "./hand-over/hand.ts";
import { type MessageRow, messageColumns } from "./message.ts";
import { rememberPruned } from "./pruned.ts";
import { forgetWords } from "./search.ts";
import { and, visible } from "./visible.ts";

/** [M5] What has expired is in no list, also here. */
const dead = (now: string) => sql`(messages.dead_at is not null or (${doomed(now)})) and ${unexpired(now)}`;

const deadView = (row: MessageRow): DeadLetter => ({
  ...channelView(row),
  deadAt: row.dead_at!,
  deadReason: row.dead_reason ?? "",
  lapses: row.lapses,
});

export function* dlqList(
  tx: Context,
  input: ParsedOf<"deadLetters.list">,
): Procedure<OutputOf<"deadLetters.list">> {
  const now = yield* tx.clock();
  const channel = input.channel === undefined ? nothing : sql`and messages.to_agent = ${input.channel}`;
  const rows = yield* all<MessageRow>(sql`
    select ${messageColumns} from messages where ${dead(now)} and messages.message_id > ${input.afterId ?? 0} ${channel} ${and(visible.messages(tx))}
    order by messages.message_id limit ${literal(input.limit)}`);
  const messages = fitted(rows).map((row) => deadView(aged(row, now)));
  return { messages, count: messages.length };
}

export function* dlqShow(
  tx: Context,
  { id }: ParsedOf<"deadLetters.show">,
): Procedure<OutputOf<"deadLetters.show">> {
  const now = yield* tx.clock();
  return { message: deadView(aged(yield* findMessage(id, dead(now)), now)) };
}

type Which = ParsedOf<"deadLetters.requeue">;

export function* dlqRequeue(tx: Context, which: Which): Procedure<OutputOf<"deadLetters.requeue">> {
  yield* alone(tx, "gc");
  const now = yield* tx.clock();
  yield* buryDoomed(tx, now);
  const rows = yield* chosen(which, now);
  if (rows.length)
    yield* run(sql`
      update messages set dead_at = null, dead_reason = null, lapses = 0, manual = 0, delivery_id = null, hidden_until = null
      where message_id in (${ids(rows)})`);
  // The addressee is woken by an event of its own name.
  for (const [name, ofOne] of Map.groupBy(rows, (row) => row.to_agent))
    yield* append(tx, {
      type: "messages.requeued",
      source: which.agent,
      message: ofOne[0],
      payload: listed(ofOne, name),
      now,
    });
  yield* seen(tx, which.agent, now);
  return { requeued: rows.length };
}

export function* dlqPurge(tx: Context, which: Which): Procedure<OutputOf<"deadLetters.purge">> {
  yield* alone(tx, "gc");
  const now = yield* tx.clock();
  yield* buryDoomed(tx, now);
  const rows = yield* chosen(which, now);
  if (rows.length) {
    // A thread's history stays whole: there the letter is only settled.
    yield* run(sql`update messages set dead_at = null, dead_reason = null, acked_at = ${now}, acked_by = ${which.agent}
      where message_id in (${ids(rows)}) and thread_id is not null`);
    yield* run(sql`delete from messages where message_id in (${ids(rows)}) and thread_id is null`);
    const deleted = rows.filter((row) => row.thread_id === null);
    yield* forgetWords(
      tx,
      "messages",
      deleted.map((row) => row.message_id),
    );
    // A stored reader of the channel must not pass over what it never saw without being told ([M7]).
    yield* rememberPruned(deleted);
    yield* append(tx, { type: "messages.purged", source: which.agent, payload: listed(rows), now });
  }
  yield* seen(tx, which.agent, now);
  return { purged: rows.length };
}

const ids = (rows: readonly MessageRow[]): Sql => joined(rows.map((row) => row.message_id));
const listed = (rows: readonly MessageRow[], channel?: string) => ({
  messages: rows.map((row) => idOf("message", row.message_id)),
  ...(channel !== undefined && { channel }),
});

function* chosen({ id, channel }: Which, now: string): Procedure<MessageRow[]> {
  if ((id === undefined) === (channel === undefined))
    throw new InboxError("invalid_input", "name one dead letter by its number, or all of a channel", {
      hint: "inbox dlq list shows them",
    });
  if (id !== undefined) return [yield* findMessage(id, dead(now))];
  return yield* all<MessageRow>(sql`
    select ${messageColumns} from messages where ${dead(now)} and messages.to_agent = ${channel!} order by messages.message_id limit 10000`);
}
