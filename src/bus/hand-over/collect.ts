/** [T11] After an answer has reached its reader: its messages are collected, and the read cursor moves. */
import { InboxError } from "../../contract/errors.ts";
import { idOf, numberOf } from "../../contract/ids.ts";
import type { Message } from "../../contract/message.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { one, run, together } from "../../sql/procedure.ts";
import { fragment, joined, type Sql, sql } from "../../sql/sql.ts";
import { insert, overwriting } from "../../sql/table.ts";
import { threadReads } from "../../sql/tables.ts";
import { namesOf, seen } from "../agent.ts";
import { append, appendWhere } from "../event.ts";
import {
  acknowledge,
  acknowledging,
  allMessagesOf,
  type MessageRow,
  messageRowsWithHint,
  messageView,
  open,
  withArtifacts,
} from "../message.ts";
import { lockThread, type ThreadRow } from "../thread.ts";

interface Collection {
  agent: string;
  thread: string;
  /** The ids of the messages that were in the answer. */
  messages: readonly string[];
  /** Whether the agent's read cursor moves past them. */
  read: boolean;
}

interface CollectedAtOnce {
  agent: string;
  /** The agent's own and its pools'. */
  names: readonly string[];
  /** Locked. */
  thread: ThreadRow;
  now: string;
}

/** The messages of a thread that an agent, by one of its names, has not collected. `read`: those of the thread, if they are read already. */
export const uncollected = (
  thread: number | Sql,
  names: readonly (string | Sql)[],
  read = fragment`messages`,
) =>
  sql`from ${read} where messages.thread_id = ${thread} and ${open} and (to_agent || '') in (${joined(names)})`;

/** The payload of the event that tells of them. */
export function collectedNow(joinedTexts: Sql, collected: Sql): Sql {
  const ids = sql`(select ${joinedTexts}(found.id, ',') from (
    select '"msg_' || messages.message_id || '"' as id ${collected} order by messages.message_id) as found)`;
  return sql`'{"messages":[' || ${ids} || '],"read_to":null}'`;
}

/**
 * Everything in a thread, for an answer; with `names` it is collected in the transaction that answers. Statements of one step
 * cannot use what the others read, which only matters where they cost no round trip.
 */
export function* messagesFor(
  tx: Context,
  { agent, names, thread, now }: Omit<CollectedAtOnce, "names"> & { names?: readonly string[] },
): Procedure<Message[]> {
  const { thread_id } = thread;
  if (!tx.embedded) {
    const [messages] = yield* together(
      allMessagesOf(thread_id),
      ...(names ? [collectAll(tx, { agent, names, thread, now })] : []),
    );
    return messages;
  }
  const rows = yield* messageRowsWithHint(thread_id);
  if (names) yield* collectRead(tx, { agent, names, thread, now }, rows);
  return rows.some(({ attached }) => attached)
    ? yield* withArtifacts(rows)
    : rows.map((row) => messageView(row));
}

/** Those that were read in this transaction. */
function* collectRead(
  tx: Context,
  { agent, names, thread, now }: CollectedAtOnce,
  read: readonly MessageRow[],
): Procedure<void> {
  const numbers: number[] = [];
  for (const { message_id, to_agent, acked_at, dead_at } of read)
    if ((acked_at ?? dead_at) === null && names.includes(to_agent)) numbers.push(message_id);
  if (!numbers.length) return;
  const payload = { messages: numbers.map((number) => idOf("message", number)), read_to: null };
  yield* append(tx, { type: "messages.collected", source: agent, thread, payload, now });
  // Mostly there is one, and by its number it takes 1.6 µs instead of 2.4. These are all of the thread that are open: a long list of
  // numbers would be a statement of its own.
  const which =
    numbers.length === 1 ? sql`message_id = ${numbers[0]!}` : sql`thread_id = ${thread.thread_id}`;
  yield* run(acknowledging({ agent, names, which, now, seen: true }));
}

/** Collects everything in a thread without knowing what that is. */
function* collectAll(tx: Context, { agent, names, thread, now }: CollectedAtOnce): Procedure<void> {
  const { thread_id } = thread;
  const which = sql`thread_id = ${thread_id}`;
  // Read before they are acked: others may have been acked in the same millisecond.
  const collected = uncollected(thread_id, names);
  yield* appendWhere(
    tx,
    { type: "messages.collected", source: agent, thread, now },
    { payload: collectedNow(tx.joinedTexts, collected), where: sql`exists (select 1 ${collected})` },
  );
  yield* run(acknowledging({ agent, names, which, now, seen: true }));
}

const overwritten = overwriting(threadReads);

export function* collect(tx: Context, { agent, thread: id, messages, read }: Collection): Procedure<void> {
  const numbers = messages.map(numberOf);
  if (!numbers.length) return;
  const thread = yield* lockThread(tx, id);
  const now = yield* tx.clock();
  const names = yield* namesOf(agent);
  const collected: number[] = [];
  for (let from = 0; from < numbers.length; from += 500) {
    const which = sql`thread_id = ${thread.thread_id} and message_id in (${joined(numbers.slice(from, from + 500))})`;
    collected.push(...(yield* acknowledge({ agent, names, which, now, seen: true })));
  }
  const readTo = read ? numbers.reduce((a, b) => Math.max(a, b)) : undefined;
  if (readTo !== undefined) {
    const there = yield* one(sql`
      select 1 as there from messages where message_id = ${readTo} and thread_id = ${thread.thread_id}`);
    if (!there) throw new InboxError("not_found", `${id} has no message ${idOf("message", readTo)}`);
    const { thread_id } = thread;
    const position = { thread_id, agent_id: agent, last_read_message_id: readTo, last_read_at: now };
    yield* run(sql`
      ${insert(threadReads, position)} ${overwritten}
      where thread_reads.last_read_message_id < excluded.last_read_message_id`);
  }
  yield* seen(tx, agent, now);
  if (!collected.length && readTo === undefined) return;
  const payload = {
    messages: collected.map((number) => idOf("message", number)),
    read_to: readTo === undefined ? null : idOf("message", readTo),
  };
  yield* append(tx, { type: "messages.collected", source: agent, thread, payload, now });
}
