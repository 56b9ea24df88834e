/** [W2] Where a wait starts, and what has arrived since. Reads messages, not events, and changes nothing. */
import { idOf, numberOf } from "../../contract/ids.ts";
import type { Message } from "../../contract/message.ts";
import type { ParsedOf } from "../../contract/operations/index.ts";
import { type EndedStatus, isEndedStatus } from "../../contract/thread.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all, one, together } from "../../sql/procedure.ts";
import { joined, nothing, sql } from "../../sql/sql.ts";
import { latestEventOf } from "../event.ts";
import { hide } from "../hand-over/hand.ts";
import { returnsInMs } from "../hand-over/next.ts";
import { findLease, isHeld } from "../lease.ts";
import { messagesOf, open } from "../message.ts";
import { prunedEvents, refuseExpired } from "../retention/events.ts";
import { findThread } from "../thread.ts";

type Input = ParsedOf<"threads.waitReply">;

export interface ReplyStart {
  thread: number;
  /** The agent whose own messages never match. */
  waiter?: string;
  afterMessage: number;
}

const answerLimit = 100;

export function* replyStart(input: Input): Procedure<ReplyStart> {
  const thread = (yield* findThread(input.thread)).thread_id;
  const lease = yield* findLease(thread);
  const waiter = input.agent ?? (isHeld(lease) ? lease.agent_id : undefined);
  if (input.afterMessage !== undefined) return { thread, waiter, afterMessage: numberOf(input.afterMessage) };
  if (input.afterEvent !== undefined) {
    return { thread, waiter, afterMessage: yield* messageBefore(thread, input.afterEvent) };
  }
  if (waiter === undefined) return { thread, waiter, afterMessage: 0 };
  const own = yield* one<{ last: number | null }>(sql`
    select max(messages.message_id) as last from messages
    where messages.thread_id = ${thread} and messages.from_agent = ${waiter}`);
  return { thread, waiter, afterMessage: own?.last ?? 0 };
}

/**
 * The newest message of a thread as of an event. Within a thread, events and messages have the same order, so the
 * last event with a message tells. If retention has deleted that event, the next one with a message does: all older
 * messages come before it.
 */
function* messageBefore(thread: number, event: number): Procedure<number> {
  yield* refuseExpired(event);
  if (event === 0) return 0;
  const last = yield* one<{ message_id: number }>(sql`
    select events.message_id from events
    where events.thread_id = ${thread} and events.event_id <= ${event} and events.message_id is not null
    order by events.event_id desc limit 1`);
  if (last) return last.message_id;
  const next = yield* one<{ message_id: number }>(sql`
    select events.message_id from events
    where events.thread_id = ${thread} and events.event_id > ${event} and events.message_id is not null
    order by events.event_id limit 1`);
  if (next) return next.message_id - 1;
  const newest = yield* one<{ last: number | null }>(
    sql`select max(messages.message_id) as last from messages where messages.thread_id = ${thread}`,
  );
  return newest?.last ?? 0;
}

/** Who gets the replies, and the id of this hand-over. */
export interface Replied {
  agent: string;
  id: string;
}

/**
 * [T11] Without messages that the same agent has collected from its mailbox, or is being handed there: only one of
 * the two gets them.
 */
const available = ({ agent, id }: Replied, now: string) => sql`(messages.to_agent <> ${agent}
  or messages.delivery_id = ${id}
  or (messages.acked_at is not null and messages.delivery_id is null)
  or (messages.acked_at is null and (messages.hidden_until is null or messages.hidden_until <= ${now})))`;

/** Handed to another reader of the same inbox, which has not confirmed yet that it got the answer. */
const onTheWayTo = ({ agent }: Replied, now: string) => sql`(messages.to_agent = ${agent}
  and ${open} and messages.manual = 0 and messages.hidden_until > ${now})`;

interface Replies {
  messages: Message[];
  nextEventId: number;
  /** [W7] How the thread has ended. */
  ended?: EndedStatus;
  /** Some of what matches is being handed to another reader, and comes back if that reader does not get it. */
  onTheWay?: boolean;
  /** Another reader of the same inbox has messages that match. */
  inHand?: boolean;
  againInMs?: number;
}

export function* replies(
  tx: Context,
  start: ReplyStart,
  kinds: Input["kinds"],
  reader: Replied | undefined,
): Procedure<Replies> {
  // The status first: the last message of a thread that has ended is then among those that are read.
  const [{ status }, now] = yield* together(findThread(idOf("thread", start.thread)), tx.clock());
  const ended = isEndedStatus(status) ? { ended: status } : {};
  const matching = () => {
    const others = start.waiter === undefined ? nothing : sql`and messages.from_agent <> ${start.waiter}`;
    return sql`and messages.message_id > ${start.afterMessage} and messages.kind in (${joined([...new Set(kinds)])}) ${others}`;
  };
  const free = reader ? sql`and ${available(reader, now)}` : nothing;
  const messages = yield* messagesOf(start.thread, sql`${matching()} ${free}`, answerLimit);
  const last = messages.at(-1);
  if (messages.length < answerLimit || !last) {
    const nextEventId = yield* latestEventOf(start.thread);
    if (!reader || last) return { messages, nextEventId, ...ended };
    // One of them is enough, the one on its way first.
    const taken = yield* one<{ on_the_way: number }>(sql`
      select case when ${onTheWayTo(reader, now)} then 1 else 0 end as on_the_way from messages
      where messages.thread_id = ${start.thread} ${matching()} order by on_the_way desc limit 1`);
    const inHand = taken !== undefined;
    const onTheWay = taken?.on_the_way === 1;
    // Messages that are handed over to another reader come back if it never confirms them.
    const againInMs = inHand ? yield* returnsInMs(reader.agent, now) : undefined;
    return { messages, nextEventId, ...ended, inHand, onTheWay, againInMs };
  }
  const row = yield* one<{ event_id: number | null }>(sql`
    select min(events.event_id) as event_id from events
    where events.thread_id = ${start.thread} and events.message_id = ${numberOf(last.messageId)}`);
  return { messages, nextEventId: row?.event_id ?? (yield* prunedEvents()), ...ended };
}

/** The messages that are addressed to the reader: hidden from its mailbox until the answer is confirmed or released. */
export function* takeReplies(
  tx: Context,
  messages: readonly Message[],
  reader: Replied,
): Procedure<Message[]> {
  const ids = messages.map(({ messageId }) => numberOf(messageId));
  const now = yield* hide(tx, ids, reader);
  const rows = yield* all<{ message_id: number }>(sql`
    select messages.message_id from messages where messages.message_id in (${joined(ids)}) and ${available(reader, now)}
    order by messages.message_id`);
  const left = new Set(rows.map((row) => row.message_id));
  return messages.filter(({ messageId }) => left.has(numberOf(messageId)));
}
