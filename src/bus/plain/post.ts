/**
 * [M1] The plain case of a message to one inbox or topic, in one statement: sender and addressee are known, nobody has a
 * quota, and the message belongs to no correlation and does not expire. The procedure (post-message.ts) has the rules for
 * all cases; a test compares what both leave in the tables.
 */
import { person } from "../../contract/entry.ts";
import type { ParsedOf } from "../../contract/operations/index.ts";
import {
  asText,
  inOrder,
  insertFrom,
  instant,
  nextEvent,
  nextNumber,
  type Plain,
  type PlainQuery,
} from "../../sql/plain.ts";
import type { Row } from "../../sql/procedure.ts";
import { fragment } from "../../sql/sql.ts";
import { initialOf } from "../../sql/table.ts";
import { events, messages } from "../../sql/tables.ts";
import { topicsOf } from "../../sql/topics.ts";
import { eitherMessages } from "../../sql/walk.ts";
import { isAgent, isKnownHere, mayBeKnown, seenBy } from "../agent.ts";
import { hasGone } from "../ended-agent.ts";
import { detailsOf, eventRow } from "../event.ts";
import { type MessageRow, orderOf, textContent, unanswered, Written } from "../message.ts";
import { type Letter, type Posted, type Posting, postToChannel } from "../post-message.ts";
import { mailPosting } from "../procedures/mailbox-send.ts";
import { channelPosting } from "../procedures/messages-send.ts";
import { mayHaveQuotas, noQuotas } from "../quota.ts";
import { type MarkedEvent, markedBy, newMark } from "./marked.ts";

const [agent, recipient] = [fragment`caller.agent`, fragment`caller.recipient`];

/** A topic is used once it has a message, and is not one while a pool has its name. */
const reachable = fragment`(case when caller.known = 1 then ${isAgent(recipient)} else (
  (select messages.message_id from ${eitherMessages} where messages.to_agent = caller.recipient limit 1) is not null
  and (select pools.pool from pools where pools.pool = caller.recipient) is null) end)`;

/** The time and the numbers are drawn once the channels are locked. */
const posting = () => fragment`
  select caller.*, ${instant} as at from caller
  where ${noQuotas} and ${isAgent(agent)} and ${reachable} and not ${hasGone(recipient)}`;

const drawing = (many: boolean) => fragment`
  select posting.*, ${asText(fragment`posting.at`)} as now, ${nextNumber("messages")} as message_id, ${nextEvent} as event_id
  from posting ${inOrder(many, fragment`posting.n_of_caller`)}`;

const written = () =>
  insertFrom(
    messages,
    {
      ...unanswered,
      message_id: fragment`numbered.message_id`,
      thread_id: null,
      from_agent: fragment`numbered.agent`,
      to_agent: fragment`numbered.recipient`,
      kind: fragment`numbered.kind`,
      summary: fragment`numbered.summary`,
      body: fragment`numbered.body`,
      payload_json: fragment`numbered.payload`,
      created_at: fragment`numbered.now`,
      task_id: fragment`numbered.task`,
    },
    fragment`from numbered`,
  );

const told = () => {
  const message = {
    message_id: fragment`numbered.message_id`,
    to_agent: fragment`numbered.recipient`,
    summary: fragment`numbered.summary`,
  };
  const said = {
    type: "message.sent",
    source: fragment`numbered.agent`,
    now: fragment`numbered.now`,
  } as const;
  const row = eventRow({ ...said, message, payload_json: fragment`numbered.details` });
  return insertFrom(
    events,
    { ...row, event_id: fragment`numbered.event_id`, mark: fragment`numbered.mark` },
    fragment`from numbered`,
  );
};

const query: PlainQuery = {
  columns: {
    agent: "text",
    recipient: "text",
    known: "integer",
    kind: "text",
    summary: "text",
    body: "text",
    payload: "text",
    task: "text",
    details: "text",
    mark: "bigint",
  },
  locks: true,
  parts: (many) => fragment`
    posting as materialized (${posting()}), numbered as materialized (${drawing(many)}), written as (${written()}),
    told as (${told()}), acting as (${seenBy(fragment`numbered`, many)})
    select numbered.n_of_caller, numbered.now as created_at, numbered.message_id, numbered.event_id from numbered
    ${inOrder(many, fragment`numbered.n_of_caller`)}`,
};

interface PostedRow extends Pick<MarkedEvent, "event_id" | "created_at"> {
  message_id: number;
}

type Recall = (fact: string) => string | undefined;

export const plainChannelMessage = (input: ParsedOf<"messages.send">, recall: Recall) =>
  plainPost(channelPosting(input), recall);

export function plainMail(input: ParsedOf<"mailbox.send">, recall: Recall) {
  const posting = mailPosting(input);
  return posting && plainPost(posting, recall);
}

function plainPost<T>({ letter, output }: Posting<T>, recall: Recall): Plain<T> | undefined {
  const { from, to, text, key = "message", as, kind = "event", payload, more = {} } = letter;
  if (more.correlationId !== undefined || more.ttlSeconds !== undefined) return undefined;
  if (!mayBeKnown(recall, from) || mayHaveQuotas(recall)) return undefined;
  const known = as === "channel" ? isKnownHere(recall, to) : mayBeKnown(recall, to);
  if (to === person || (!known && as !== "channel")) return undefined;
  const [lock, ...others] = orderOf({ to });
  if (others.length) return undefined;
  const { summary, body = "", payload: content = {} } = textContent(text, payload, key);
  const mark = newMark();
  const said = { kind, summary, body, payload_json: JSON.stringify(content) };
  const row = {
    ...untouched,
    ...unanswered,
    ...said,
    thread_id: null,
    from_agent: from,
    to_agent: to,
    task_id: more.taskId ?? null,
  };
  const details = JSON.stringify(detailsOf({ kind, to_agent: to }));
  const event = { event_type: "message.sent", source: from, to_agent: to, thread_id: null };
  const topics = topicsOf({ ...event, assigned_to: null, addressed_to: null });
  const written = ({ message_id, event_id, created_at }: PostedRow) =>
    output(plainlyPosted(letter, { ...row, message_id, created_at }, event_id));
  return {
    query,
    values: [
      from,
      to,
      known ? 1 : 0,
      kind,
      summary,
      body,
      said.payload_json,
      row.task_id,
      details,
      mark.number,
    ],
    lock,
    kind: `post:${to}`,
    answer: (found: Row) => ({ value: written(found as unknown as PostedRow), topics, learnt: [] }),
    *again(tx) {
      const found = yield* markedBy(tx, mark);
      if (!found) return output(yield* postToChannel(tx, letter));
      for (const topic of topics) tx.wake(topic);
      return written(found as PostedRow);
    },
  };
}

const plainlyPosted = ({ to, tells }: Letter, row: MessageRow, event: number): Posted => ({
  last: new Written(row, [], false),
  recipient: { name: to, known: true, similar: [] },
  nextEventId: tells ? event : 0,
});

const untouched = initialOf(messages);
