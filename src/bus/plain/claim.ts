/**
 * [L2] The plain case of a claim without a thread, in one statement: the agent is known and in no pool, no lease of its threads has
 * lapsed, and there is a pending thread for it. The procedure (procedures/threads-claim.ts) has the rules for all cases;
 * a test compares what both leave in the tables.
 */

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
import { fragment, literal, type Sql, word } from "../../sql/sql.ts";
import { overwriting } from "../../sql/table.ts";
import { events, leases } from "../../sql/tables.ts";
import { topicsOf } from "../../sql/topics.ts";
import { isAgent, seenBy } from "../agent.ts";
import { type ArtifactRow, artifactColumns, byMessage } from "../artifact.ts";
import { eventRow } from "../event.ts";
import { collectedNow, uncollected } from "../hand-over/collect.ts";
import { claimedPayload, nameOfCall, tokenFrom } from "../lease.ts";
import { acknowledging, type MessageRow, messageColumns, messageView } from "../message.ts";
import { answerWith, type ClaimInput, type Granted, threadsClaim } from "../procedures/threads-claim.ts";
import { creatorOf, type ThreadRow, threadColumns } from "../thread.ts";

/** With more leases that have lapsed and that nobody has taken over, no case is plain: they are not searched. */
const lapsedLimit = 20;

const lapsed = fragment`
  select leases.thread_id from leases
  where leases.released_at is null and leases.expires_at <= (select ${asText(fragment`min(caller.started)`)} from caller)
  order by leases.expires_at limit ${literal(lapsedLimit)}`;

/** The caller has not given up this call. */
export const isWanted = fragment`(caller.call is null
  or (select given_up_calls.call_id from given_up_calls where given_up_calls.call_id = caller.call) is null)`;

/**
 * The callers whose case may be plain. `place`: the best thread is for the first one of an agent, and so on. Asked by
 * subqueries with one value each: of `exists` the server may make a join that reads a whole table ([G7]).
 */
const asking = (many: boolean, among: Sql) => fragment`
  select caller.*, ${many ? fragment`row_number() over (partition by caller.agent order by caller.n_of_caller)` : literal(1)} as place
  from caller
  where (select count(*) from lapsed) < ${literal(lapsedLimit)}
    and (select count(*) from lapsed join threads on threads.thread_id = lapsed.thread_id
      where threads.assigned_to = caller.agent or threads.addressed_to = caller.agent) = 0
    and (select pool_members.pool from pool_members where pool_members.agent_id = caller.agent limit 1) is null
    and ${among}`;

/** An agent makes a call for the first time. */
const isFirst = fragment`${isAgent(fragment`caller.agent`)} and ${isWanted}
    and (select leases.thread_id from leases where leases.agent_id = caller.agent and leases.released_at is null
      and leases.lease_token = caller.new_token limit 1) is null`;

const wanting = fragment`(
  select asking.agent, asking.fixed, count(*) as callers from asking group by asking.agent, asking.fixed)`;

/** A thread that was changed meanwhile is checked again when it is locked, so each of these is still pending. */
const locked = (many: boolean) => fragment`
  select wanting.agent, wanting.fixed, best.* from ${many ? wanting : fragment`asking`} as wanting
    cross join lateral (
      select ${threadColumns}, threads.priority_rank, threads.xmin::text as version from threads
      where threads.assigned_to = wanting.agent and threads.status = 'pending'
      order by threads.priority_rank, threads.thread_id limit ${many ? fragment`wanting.callers` : literal(1)} for no key update skip locked) as best`;

/** The time is read once they are locked. */
const timed = (many: boolean) => fragment`
  select locked.*, ${instant} as at, ${
    many
      ? fragment`row_number() over (partition by locked.agent order by locked.priority_rank, locked.thread_id)`
      : literal(1)
  } as place from locked`;

/** What the other parts read is as old as the statement: a thread that was changed before it was locked is left to the procedure. */
const best = fragment`
  select timed.*, asking.n_of_caller, asking.new_token, asking.seconds, asking.collects, ${asText(fragment`timed.at`)} as now,
    ${asText(fragment`timed.at + asking.seconds * interval '1 second'`)} as until
  from timed join asking on asking.agent = timed.agent and asking.place = timed.place
  where timed.version = (select seen.xmin::text from threads as seen where seen.thread_id = timed.thread_id)`;

/** The attempt of a released lease stays: the newest, even if it was released after this statement began. */
const granted = (many: boolean) => fragment`
  ${insertFrom(
    leases,
    {
      thread_id: fragment`best.thread_id`,
      agent_id: fragment`best.agent`,
      lease_token: fragment`best.new_token`,
      attempt: 1,
      claimed_at: fragment`best.now`,
      expires_at: fragment`best.until`,
      released_at: null,
      lease_seconds: fragment`best.seconds`,
    },
    fragment`from best ${inOrder(many, fragment`best.n_of_caller`)}`,
  )} ${overwriting(leases, "attempt")} where leases.released_at is not null returning thread_id, attempt`;

const mail = fragment`
  select ${messageColumns} from taken join messages on messages.thread_id = taken.thread_id`;

function told(many: boolean) {
  const payload = jsonOf(
    claimedPayload({
      attempt: fragment`taken.attempt`,
      expires_at: jsonText(fragment`taken.until`),
      taken_from: null,
    }),
  );
  const collected = uncollected(
    fragment`taken.thread_id`,
    [fragment`taken.agent`],
    fragment`mail as messages`,
  );
  const both = fragment`(
    select taken.*, 'thread.claimed' as type, ${payload} as payload, 1 as part from taken
    union all
    select taken.*, 'messages.collected', ${collectedNow(word("string_agg"), collected)}, 2 from taken
    where taken.collects = 1 and exists (select 1 ${collected})) as told`;
  const row = eventRow({
    type: fragment`told.type`,
    source: fragment`told.agent`,
    now: fragment`told.now`,
    thread: {
      run_id: fragment`told.run_id`,
      task_id: fragment`told.task_id`,
      thread_id: fragment`told.thread_id`,
      status: "claimed",
      created_by: fragment`told.created_by`,
      assigned_to: fragment`told.assigned_to`,
    },
    payload_json: fragment`told.payload`,
  });
  const insertion = insertFrom(
    events,
    row,
    fragment`from ${both} ${inOrder(many, fragment`told.n_of_caller, told.part`)}`,
  );
  return fragment`${insertion} returning event_id, thread_id, event_type`;
}

const acked = () =>
  acknowledging({
    agent: fragment`taken.agent`,
    names: [fragment`taken.agent`],
    which: fragment`messages.thread_id = taken.thread_id and taken.collects = 1`,
    now: fragment`taken.now`,
    seen: true,
    from: fragment`from taken`,
  });

export const claimColumns = {
  agent: "text",
  new_token: "text",
  seconds: "integer",
  collects: "integer",
  call: "text",
} as const;

/** All but the change of the thread. `among`: a further condition for a caller. */
export const claimParts = (many: boolean, among: Sql) => fragment`
    lapsed as materialized (${lapsed}), asking as materialized (${asking(many, among)}), locked as materialized (${locked(many)}),
    timed as materialized (${timed(many)}), best as materialized (${best}), granted as (${granted(many)}),
    taken as materialized (select best.*, granted.attempt from granted join best on best.thread_id = granted.thread_id),
    mail as materialized (${mail}), told as (${told(many)}), acked as (${acked()})`;

export const claimedRows = () => fragment`
    select taken.*, told.event_id,
      (select json_agg(mail order by mail.message_id) from mail where mail.thread_id = taken.thread_id) as messages,
      (select json_agg(attached order by attached.artifact_id) from
        (select ${artifactColumns} from artifacts where artifacts.message_id = any (array(
          select mail.message_id from mail where mail.thread_id = taken.thread_id))) as attached) as artifacts
    from taken join told on told.thread_id = taken.thread_id and told.event_type = 'thread.claimed'`;

const claimQuery: PlainQuery = {
  columns: claimColumns,
  locks: false,
  parts: (many) => fragment`${claimParts(many, isFirst)}, acting as (${seenBy(fragment`taken`, many)}),
    changed as (update threads set status = 'claimed', updated_at = taken.now from taken where threads.thread_id = taken.thread_id)
    ${claimedRows()} ${inOrder(many, fragment`taken.n_of_caller`)}`,
};

export interface ClaimedRow extends ThreadRow {
  agent: string;
  new_token: string;
  until: string;
  attempt: number;
  now: string;
  event_id: number;
  messages: MessageRow[] | null;
  artifacts: ArtifactRow[] | null;
}

/** A claim whose call has an id. */
export type NamedClaim = ClaimInput & { call: string };

export const claimValues = ({ agent, leaseSeconds, collects, call, handOver }: NamedClaim) => [
  agent,
  tokenFrom(call),
  leaseSeconds,
  collects ? 1 : 0,
  handOver ?? null,
];

/** A bare claim. */
export function plainClaim(input: NamedClaim): Plain<Granted> | undefined {
  const { agent, thread, leaseToken } = input;
  if (thread !== undefined || leaseToken !== undefined) return undefined;
  return {
    query: claimQuery,
    values: claimValues(input),
    own: nameOfCall(input.call),
    kind: `claim:${agent}`,
    answer: (row) => grantedBy(row as unknown as ClaimedRow),
    again: (tx) => threadsClaim(tx, { ...input, handOver: input.call }),
  };
}

export function grantedBy(found: ClaimedRow): PlainAnswer<Granted> {
  const { agent, new_token: token, until, attempt, now, event_id, messages, artifacts, ...row } = found;
  const thread: ThreadRow = { ...row, status: "claimed", updated_at: now };
  const lease = { lease_token: token, expires_at: until, attempt };
  const attached = byMessage(artifacts ?? []);
  const shown = (messages ?? []).map((message) => messageView(message, attached.get(message.message_id)));
  const event = { ...thread, event_type: "thread.claimed", source: agent, to_agent: null };
  return {
    value: { answer: answerWith(thread, lease, event_id, shown), fresh: true },
    topics: topicsOf(event),
    learnt: [[creatorOf(thread.thread_id), thread.created_by]],
  };
}
