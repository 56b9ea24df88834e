/**
 * [B3] [B4] Handing mail over, in two steps. `hand` hides messages from everybody else until a deadline. Then
 * `confirmMail` acks them, or starts the reader's own visibility time; `releaseMail` returns them at once and counts
 * no delivery, unless the reader may have seen them. If the reader dies in between, nothing is lost: after the
 * deadline the messages are handed out again, with the same ids.
 */

import { InboxError } from "../../contract/errors.ts";
import { idOf } from "../../contract/ids.ts";
import type { Mail } from "../../contract/mail.ts";
import type { Context, Procedure, Refused } from "../../sql/procedure.ts";
import { all, refused, run, together } from "../../sql/procedure.ts";
import { alike, joined, nothing, sql } from "../../sql/sql.ts";
import { seen } from "../agent.ts";
import { deliverable, fitted, mailView } from "../channel.ts";
import { append } from "../event.ts";
import { expiryAfter } from "../expiry.ts";
import { refuseGivenUp } from "../given-up.ts";
import { type MessageRow, messageColumns, open } from "../message.ts";
import { buryAll, doomedIn } from "./bury.ts";
import { deliverables, isOvertaking, lineOf, others, type Wanted } from "./next.ts";

/** How long a reader has to confirm that the answer arrived. */
const handSeconds = 60;

export interface HandedMail {
  messages: Mail[];
  hidden: number;
  deliveryId: string;
  /** The event from which a watcher continues. */
  nextEventId: number;
  /** The agent has acted for the first time. */
  joined?: boolean;
}

export interface Handing {
  /** The id that the reader has given to the call, if any. A repeated call with the same id gets the same answer. */
  call?: string;
  /** The reader has the answer as soon as it is committed, so it is confirmed in the same transaction. */
  collects?: Confirming;
  /** Asked with the numbers of what would be handed over: otherwise nothing is. */
  onlyIf?: (numbers: readonly number[]) => boolean;
}

/** `visibilitySeconds`: if the reader acks each message itself, how long they are hidden from now on. */
interface Confirming {
  visibilitySeconds?: number;
}

export function* hand(
  tx: Context,
  wanted: Wanted,
  { call, collects, onlyIf }: Handing = {},
): Procedure<HandedMail> {
  const { agent } = wanted;
  const deliveryId = call ?? crypto.randomUUID();
  yield* tx.enterLine(lineOf(agent));
  yield* tx.own(lineOf(agent));
  const [nextEventId, overdue, found, { hidden, first }, before, now] = yield* together(
    tx.settled(), // before its own events, on every engine
    doomedIn(tx, tx.time(), agent),
    deliverables(tx, wanted),
    others(tx, wanted),
    // After the rows are locked, for which it may have waited: it may have been abandoned meanwhile.
    call === undefined ? nobody() : answerBefore({ agent, id: call }),
    tx.clock(),
  );
  if (!before.length && isOvertaking(wanted, found, first)) tx.waitInLine();
  // Others may have taken some of it while it waited.
  if (!before.length && onlyIf?.(found.map((row) => row.message_id)) === false)
    return { messages: [], hidden, deliveryId, nextEventId };
  yield* buryAll(tx, overdue, now);
  if (before.length) {
    const otherwise = Math.max(0, hidden - before.filter(isInHand(now)).length);
    return { messages: before.map(again), hidden: otherwise, deliveryId, nextEventId };
  }
  // The sender of a dead letter is notified, and may be the reader of this mail.
  const rows = overdue.length ? yield* deliverables(tx, wanted) : found;
  // A caller that named the messages gets all of them; otherwise an answer is at most one page.
  const given = wanted.ids === undefined ? fitted(rows) : rows;
  const until = expiryAfter(now, handSeconds);
  const change = () =>
    collects ? confirming(agent, collects, now) : sql`manual = 0, hidden_until = ${until}`;
  for (const row of given)
    yield* run(
      alike(sql`
        update messages set delivery_id = ${deliveryId}, ${change()},
          lapses = ${row.lapses + (row.manual === 1 ? 1 : 0)}, handed = handed + 1, first_handed_at = coalesce(first_handed_at, ${now})
        where message_id = ${row.message_id}`),
    );
  const joined = yield* seen(tx, agent, now);
  if (given.length) {
    tx.taken?.(given.map((row) => row.message_id));
    const messages = given.map((row) => idOf("message", row.message_id));
    yield* append(tx, { type: "messages.handed", source: agent, payload: { messages, until }, now });
    if (collects && collects.visibilitySeconds === undefined) {
      const payload = { messages, read_to: null };
      yield* append(tx, { type: "messages.collected", source: agent, payload, now });
    }
  }
  return { messages: given.map(mailView), hidden, deliveryId, nextEventId, joined };
}

// biome-ignore lint/correctness/useYield: it is asked together with others
function* nobody(): Procedure<MessageRow[]> {
  return [];
}

const confirming = (agent: string, { visibilitySeconds }: Confirming, now: string) =>
  visibilitySeconds === undefined
    ? sql`manual = 0, acked_at = ${now}, acked_by = ${agent}, hidden_until = null`
    : sql`manual = 1, hidden_until = ${expiryAfter(now, visibilitySeconds)}`;

/**
 * Hides the messages in an answer of another kind, so that the reader's mailbox does not hand them out as well.
 * Returns the time.
 */
export function* hide(tx: Context, ids: readonly number[], { agent, id }: Delivery): Procedure<string> {
  yield* tx.own(`inbox:${agent}`);
  const now = yield* tx.clock();
  const until = expiryAfter(now, handSeconds);
  const rows = yield* all<{ message_id: number }>(sql`
    update messages set delivery_id = ${id}, hidden_until = ${until}, lapses = lapses + manual, manual = 0
    where messages.message_id in (${joined(ids)}) and messages.to_agent = ${agent} and ${deliverable(now)}
    returning message_id`);
  const hidden = rows.map((row) => row.message_id).sort((a, b) => a - b);
  if (!hidden.length) return now;
  tx.taken?.(hidden);
  const payload = { messages: hidden.map((number) => idOf("message", number)), until };
  yield* append(tx, { type: "messages.handed", source: agent, payload, now });
  return now;
}

/** [B4] What an earlier call with this id was answered with: its answer may have been lost. */
function* answerBefore(delivery: Delivery): Procedure<MessageRow[]> {
  yield* refuseGivenUp(delivery.id);
  return yield* all<MessageRow>(
    sql`select ${messageColumns} from messages where ${delivered(delivery)} order by messages.message_id`,
  );
}

const isInHand = (now: string) => (row: MessageRow) =>
  row.acked_at === null && (row.hidden_until ?? "") > now;
const again = (row: MessageRow): Mail => ({ ...mailView(row), redelivered: true });

interface Delivery {
  agent: string;
  id: string;
}

/** The messages of one delivery. The agent is checked as well: knowing an id gives no right to another agent's mail. */
const delivered = ({ agent, id }: Delivery) => sql`delivery_id = ${id} and (to_agent || '') = ${agent}`;

export interface Confirmed {
  /** The numbers of the messages that belong to the reader now, or did before. */
  collected: number[];
}

/**
 * `visibilitySeconds`: if the reader acks each message itself, how long they are hidden from now on. `messages`:
 * those in the answer.
 */
export function* confirmMail(
  tx: Context,
  {
    visibilitySeconds,
    messages,
    ...delivery
  }: Delivery & { visibilitySeconds?: number; messages?: readonly number[] },
): Procedure<Confirmed | Refused> {
  const { agent } = delivery;
  const now = yield* tx.clock();
  // Acked messages keep the id of the delivery, so that confirming twice does not report them as lost.
  const change =
    visibilitySeconds === undefined
      ? sql`acked_at = ${now}, acked_by = ${agent}, hidden_until = null`
      : sql`manual = 1, hidden_until = ${expiryAfter(now, visibilitySeconds)}`;
  const rows = yield* all<{ message_id: number }>(sql`
    update messages set ${change} where ${delivered(delivery)} and ${open} returning message_id`);
  const changed = rows.map((row) => row.message_id).sort((a, b) => a - b);
  if (changed.length && visibilitySeconds === undefined) {
    const payload = { messages: changed.map((id) => idOf("message", id)), read_to: null };
    yield* append(tx, { type: "messages.collected", source: agent, payload, now });
  }
  if (messages?.every((id) => changed.includes(id))) return { collected: changed };
  const before = yield* all<{ message_id: number }>(sql`
    select messages.message_id from messages where ${delivered(delivery)} and acked_at is not null
    order by messages.message_id`);
  const collected = [...new Set([...changed, ...before.map((row) => row.message_id)])].sort((a, b) => a - b);
  const lost = messages?.filter((id) => !collected.includes(id)) ?? [];
  if (lost.length || !collected.length) return refused(tooLate(collected, lost));
  return { collected };
}

/** Some or all of it was not confirmed in time, and another reader has it or will get it. The reader keeps the rest. */
function tooLate(collected: readonly number[], lost: readonly number[]): InboxError {
  const named = lost.map((id) => idOf("message", id)).join(", ");
  return new InboxError(
    "conflict",
    collected.length
      ? `${named} of what was handed over was not confirmed in time and is no longer yours`
      : "what was handed over was not confirmed in time and is no longer yours",
    {
      hint: "do not act on it: another reader has it or will get it, or it has expired",
      details: {
        collected: collected.map((id) => idOf("message", id)),
        lost: lost.map((id) => idOf("message", id)),
      },
    },
  );
}

/**
 * `seen`: the reader may have seen it, so it counts as delivered and is marked as redelivered next time. Returns
 * whether anything was released.
 */
export function* releaseMail(
  tx: Context,
  { seen, ...delivery }: Delivery & { seen?: boolean },
): Procedure<boolean> {
  const now = yield* tx.clock();
  const counted = seen
    ? nothing
    : sql`, handed = handed - 1, first_handed_at = case when handed <= 1 then null else first_handed_at end`;
  const rows = yield* all<{ message_id: number }>(sql`
    update messages set delivery_id = null, hidden_until = null ${counted}
    where ${delivered(delivery)} and ${open} returning message_id`);
  if (!rows.length) return false;
  const ids = rows.map((row) => row.message_id).sort((a, b) => a - b);
  const payload = { messages: ids.map((id) => idOf("message", id)) };
  yield* append(tx, { type: "messages.returned", source: delivery.agent, payload, now });
  return true;
}
