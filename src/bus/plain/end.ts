/**
 * [T7] The plain case of ending a thread, in one statement: its holder ends it, nobody reviews it, and the result is one
 * row for an agent that is known to have created it. The procedure (thread-end.ts) has the rules for all cases; a test
 * compares what both leave in the tables.
 */
import { person } from "../../contract/entry.ts";
import { numberOf } from "../../contract/ids.ts";
import type { OutputOf } from "../../contract/operations/index.ts";
import {
  asText,
  inOrder,
  insertFrom,
  instant,
  jsonOf,
  jsonText,
  type Plain,
  type PlainAnswer,
  type PlainQuery,
} from "../../sql/plain.ts";
import type { Work } from "../../sql/procedure.ts";
import { fragment, type Sql } from "../../sql/sql.ts";
import { initialOf } from "../../sql/table.ts";
import { events, messages } from "../../sql/tables.ts";
import { topicsOf } from "../../sql/topics.ts";
import { seenBy } from "../agent.ts";
import { detailsOf, eventRow } from "../event.ts";
import { acknowledging, type MessageRow, messageView, orderOf, unanswered } from "../message.ts";
import { creatorOf, isActive, type ThreadRow, threadColumns, threadView } from "../thread.ts";
import { type End, type EndStatus, endingContent } from "../thread-end.ts";
import { asksFor, reviewed } from "../thread-to-end.ts";

/**
 * The caller holds the thread by a lease that is still its own when both rows are locked. The lease is found by its thread
 * alone, and the rest asked so that the server does not read all leases that are held, or all reviews ([G7]).
 */
const locked = (among: Sql) => fragment`
  select caller.*, ${threadColumns}, threads.xmin::text as version from caller
    join threads on threads.thread_id = caller.thread join leases on leases.thread_id = threads.thread_id
  where threads.created_by = caller.creator and ${isActive}
    and coalesce(leases.released_at, '') = '' and (leases.agent_id || '') = caller.agent
    and leases.lease_token = coalesce(caller.token, leases.lease_token)
    and (select count(*) ${reviewed(fragment`caller.thread`)}) = 0
    and (select count(*) from entries where entries.thread_id = caller.thread and entries.needs = 'answer') = 0 ${among}
  for no key update of threads, leases skip locked`;

/**
 * What the other parts read is as old as the statement. If the thread was changed between its beginning and the lock, by a reply
 * for example, the case is not plain.
 */
const timed = fragment`select end_locked.*, ${instant} as at from end_locked
  where end_locked.version = (select seen.xmin::text from threads as seen where seen.thread_id = end_locked.thread_id)`;
const ending = fragment`select end_timed.*, ${asText(fragment`end_timed.at`)} as now from end_timed`;

const acked = () =>
  acknowledging({
    agent: fragment`ending.assigned_to`,
    names: [fragment`ending.assigned_to`],
    which: asksFor(fragment`ending.thread_id`),
    now: fragment`ending.now`,
    from: fragment`from ending`,
  });

const written = (many: boolean) => fragment`
  ${insertFrom(
    messages,
    {
      thread_id: fragment`ending.thread_id`,
      from_agent: fragment`ending.agent`,
      to_agent: fragment`ending.created_by`,
      kind: "result",
      summary: fragment`ending.summary`,
      body: fragment`ending.body`,
      payload_json: fragment`ending.payload`,
      created_at: fragment`ending.now`,
      task_id: fragment`ending.task_id`,
      ...unanswered,
    },
    fragment`from ending ${inOrder(many, fragment`ending.n_of_caller`)}`,
  )} returning message_id, thread_id`;

function told(many: boolean) {
  const message = { kind: fragment`'"result"'`, to_agent: jsonText(fragment`ended.created_by`) };
  const row = eventRow({
    type: fragment`'thread.' || ended.outcome`,
    source: fragment`ended.agent`,
    now: fragment`ended.now`,
    thread: {
      run_id: fragment`ended.run_id`,
      task_id: fragment`ended.task_id`,
      thread_id: fragment`ended.thread_id`,
      status: fragment`ended.outcome`,
      created_by: fragment`ended.created_by`,
      assigned_to: fragment`ended.assigned_to`,
    },
    message: {
      message_id: fragment`ended.message_id`,
      to_agent: fragment`ended.created_by`,
      summary: fragment`ended.summary`,
    },
    payload_json: jsonOf(detailsOf(message)),
  });
  return fragment`${insertFrom(events, row, fragment`from ended ${inOrder(many, fragment`ended.n_of_caller`)}`)} returning thread_id`;
}

export const endColumns = {
  agent: "text",
  thread: "bigint",
  token: "text",
  creator: "text",
  outcome: "text",
  summary: "text",
  body: "text",
  payload: "text",
} as const;

/** All but the change of the thread. `among`: which callers, besides. */
export const endParts = (many: boolean, among = fragment``) => fragment`
    end_locked as materialized (${locked(among)}), end_timed as materialized (${timed}), ending as materialized (${ending}),
    end_acked as (${acked()}), written as (${written(many)}),
    ended as materialized (select ending.*, written.message_id from ending join written on written.thread_id = ending.thread_id),
    released as (update leases set released_at = ended.now from ended where leases.thread_id = ended.thread_id),
    end_told as (${told(many)}), acting as (${seenBy(fragment`ended`, many)})`;

const endQuery: PlainQuery = {
  columns: endColumns,
  locks: true,
  parts: (many) => fragment`${endParts(many)},
    changed as (update threads set status = ended.outcome, latest_message_id = ended.message_id, updated_at = ended.now
      from ended where threads.thread_id = ended.thread_id)
    select ended.* from ended ${inOrder(many, fragment`ended.n_of_caller`)}`,
};

export interface EndedRow extends ThreadRow {
  agent: string;
  outcome: EndStatus;
  summary: string;
  body: string;
  payload: string;
  now: string;
  message_id: number;
}

type Output = OutputOf<"threads.done">;

type Recall = (fact: string) => string | undefined;

/** `again`: the procedure, which finds that the thread was ended before. */
export function plainEnd(
  { again, ...end }: End & { again: Work<Output> },
  recall: Recall,
): Plain<Output> | undefined {
  const asked = askedBy(end, recall);
  return asked && { ...asked, query: endQuery, answer: (row) => endedBy(row as unknown as EndedRow), again };
}

/** What a caller of such a statement gives to it, if the case may be plain. */
export function askedBy(
  { input, status }: End,
  recall: Recall,
): Pick<Plain<unknown>, "values" | "lock" | "own"> | undefined {
  const { agent, leaseToken, artifacts } = input;
  const thread = numberOf(input.thread);
  const creator = recall(creatorOf(thread));
  if (creator === undefined || creator === person || artifacts.length) return undefined;
  const [lock, ...more] = orderOf({ to: creator });
  if (more.length) return undefined;
  const { summary, body = "", payload = {} } = endingContent(input, status);
  const said = [summary, body, JSON.stringify(payload)];
  const values = [agent, thread, leaseToken ?? null, creator, status, ...said];
  return { values, lock, own: String(thread) };
}

const untouched = initialOf(messages);

export function endedBy(found: EndedRow): PlainAnswer<Output> {
  const { agent, outcome: status, summary, body, payload, now, message_id, ...row } = found;
  const thread: ThreadRow = { ...row, status, latest_message_id: message_id, updated_at: now };
  const message: MessageRow = {
    ...untouched,
    message_id,
    thread_id: row.thread_id,
    from_agent: agent,
    to_agent: row.created_by,
    kind: "result",
    summary,
    body,
    payload_json: payload,
    created_at: now,
    task_id: row.task_id,
    ...unanswered,
  };
  const event = { ...thread, event_type: `thread.${status}`, source: agent, to_agent: row.created_by };
  return {
    value: { thread: threadView(thread), message: messageView(message) },
    topics: topicsOf(event),
    learnt: [],
  };
}
