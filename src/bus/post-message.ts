/** [M1] A message to a channel, or a plain message; to `*` or a pool, each receiver gets a copy. */
import { InboxError } from "../contract/errors.ts";
import type { Kind } from "../contract/message.ts";
import { blank, call, phrase } from "../contract/phrase.ts";
import type { Recipient } from "../contract/recipient.ts";
import type { Context, Procedure } from "../sql/procedure.ts";
import { together } from "../sql/procedure.ts";
import { type Addressed, addressed } from "./addressees.ts";
import { eventNumberOf, seen } from "./agent.ts";
import { isGone, reached } from "./ended-agent.ts";
import { append, numbered } from "./event.ts";
import { expiryAfter } from "./expiry.ts";
import { type Head, orderOf, textContent, type Written, write } from "./message.ts";
import { isUsed, recipientOf } from "./name-use.ts";
import { bytesOf, spend } from "./quota.ts";

export interface Letter {
  from: string;
  to: string;
  text: string;
  /** The input field that the text is from (default: message). */
  key?: string;
  strict: boolean;
  /** What the addressee is taken for (default: an agent). */
  as?: "agent" | "channel";
  payload?: Record<string, unknown>;
  kind?: Kind;
  /** Whether the answer contains the number of its event. */
  tells?: boolean;
  more?: Pick<Head, "correlationId" | "taskId"> & { ttlSeconds?: number };
}

export interface Posted {
  last: Written;
  recipient: Recipient;
  nextEventId: number;
  copies?: { id: number; channel: string }[];
}

/** A call that posts a message, as data. */
export interface Posting<T> {
  letter: Letter;
  output: (posted: Posted) => T;
}

export function* postToChannel(
  tx: Context,
  {
    from,
    to,
    text,
    key = "message",
    strict,
    as = "agent",
    payload,
    more = {},
    tells = false,
    kind = "event",
  }: Letter,
): Procedure<Posted> {
  const [{ group, names }, used] = yield* together(addressed(tx, to, from), isUsed(tx, to, as));
  if (!names.length) throw reachesNobody(group, to);
  yield* tx.lock(...names.flatMap((name) => orderOf({ to: name, correlationId: more.correlationId })));
  const only = group === null ? { to, teller: tells ? from : undefined } : undefined;
  const { now, numbers, gone, event: number } = yield* prepared(tx, names.length, only);
  const recipient = group
    ? { name: to, known: true, similar: [] }
    : yield* recipientOf(tx, to, { strict, as, used });
  const content = textContent(text, payload, key);
  const copied = { messages: names.length, bytes: () => names.length * bytesOf(content) };
  yield* spend(tx, from, copied, now);
  yield* seen(tx, from, now);
  const { ttlSeconds, correlationId, taskId } = more;
  const expiresAt = ttlSeconds === undefined ? undefined : expiryAfter(now, ttlSeconds);
  const written: Written[] = [];
  let nextEventId = 0;
  for (const [i, name] of names.entries()) {
    const known = { number: numbers[i]!, gone };
    const message = yield* write(
      tx,
      {
        thread: null,
        from,
        to: name,
        kind,
        correlationId,
        taskId,
        expiresAt,
        copyOf: written[0]?.row.message_id,
        known,
      },
      content,
      now,
    );
    const event = { type: "message.sent", source: from, message: message.row, now } as const;
    if (tells && name === names.at(-1)) nextEventId = yield* numbered(tx, event, number);
    else yield* append(tx, event);
    written.push(message);
  }
  const last = written.at(-1)!;
  const copies = group
    ? written.map(({ row }) => ({ id: row.message_id, channel: row.to_agent }))
    : undefined;
  if (copies) return { last, recipient, nextEventId, copies };
  return { last, recipient: yield* reached(recipient, last), nextEventId };
}

/**
 * What the messages need is read together with the time, so the writes need no answers. The addressees of a group were
 * selected before and have not finished; only a single addressee is checked for that. `teller`: the sender, if its answer
 * contains the number of the event.
 */
function* prepared(
  tx: Context,
  count: number,
  only: { to: string; teller: string | undefined } | undefined,
): Procedure<{ now: string; numbers: number[]; gone: boolean; event?: number }> {
  if (!only) {
    const [numbers, now] = yield* together(tx.numbers("messages", count), tx.clock());
    return { now, numbers, gone: false };
  }
  const [number, gone, now, event] = yield* together(
    tx.number("messages"),
    isGone(tx, only.to),
    tx.clock(),
    eventNumberOf(tx, only.teller),
  );
  return { now, numbers: [number], gone, event };
}

const reachesNobody = (group: Addressed["group"], to: string) =>
  group === "pool"
    ? new InboxError(
        "not_found",
        `the pool "${to}" has no other members, so the message would reach nobody`,
        {
          hint: phrase`${call("pools.join", { pool: to, agent: blank("NAME") })} adds a member; a thread waits for one: ${call("threads.send", { to, subject: blank("…") })}`,
          details: { pool: to, members: 0 },
        },
      )
    : new InboxError("not_found", "no other agents are known yet, so * would reach nobody", {
        hint: "send to an agent by name: its mail is kept until it is collected",
      });
