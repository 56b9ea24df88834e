/**
 * [Y5] Quotas, checked in the transaction of the write that they may refuse. If there are none, this costs no
 * statement: each process keeps the list of quotas and reads it again after two seconds.
 */
import { person } from "../contract/entry.ts";
import { InboxError } from "../contract/errors.ts";
import type { Limits, Quota } from "../contract/quota.ts";
import type { Context, Procedure } from "../sql/procedure.ts";
import { all, nothingToAsk, one, run } from "../sql/procedure.ts";
import { fragment, literal, type Sql, sql } from "../sql/sql.ts";
import { columnsOf, insert, type RowOf } from "../sql/table.ts";
import { quotas, quotaUsage } from "../sql/tables.ts";
import { isWithin } from "./expiry.ts";
import { isOpen } from "./thread.ts";

/** The limits for all agents are stored under this name, which no agent can have. */
export const everybody = "*";
const quotaColumns = columnsOf(quotas);

export const quotaView = (row: RowOf<typeof quotas>): Quota => ({
  name: row.agent_id === everybody ? null : row.agent_id,
  messagesPerMinute: row.messages_per_minute,
  bytesPerDay: row.bytes_per_day,
  openThreads: row.open_threads,
  subAgents: row.sub_agents,
});

export function* allQuotas(): Procedure<Quota[]> {
  const rows = yield* all<RowOf<typeof quotas>>(
    sql`select ${quotaColumns} from quotas order by quotas.agent_id`,
  );
  // The limits for all agents first: "*" would come after some names.
  return rows.map(quotaView).sort((a, b) => Number(a.name !== null) - Number(b.name !== null));
}

/** As the process keeps it: since when it is known, then the quotas, if there are any. */
const fact = "quotas";
const keptMs = 2000;

export function learnQuotas(tx: Context, known: readonly Quota[], now: string): void {
  tx.learn(fact, `${now}${known.length ? JSON.stringify(known) : ""}`);
}

/** What the process keeps, if it is recent enough. */
function keptQuotas(tx: Context, now: string): string | undefined {
  const kept = tx.recall(fact);
  return kept !== undefined && isWithin(keptMs, kept.slice(0, now.length), now) ? kept : undefined;
}

const hasNone = (kept: string | undefined, now: string) => kept?.length === now.length;

/** For a plain case: whether this process knows of a quota, and that the database has none. */
export const mayHaveQuotas = (recall: Context["recall"]) => recall(fact)?.endsWith("]") === true;
export const noQuotas = fragment`(select count(*) from quotas) = 0`;

function* limitsOf(tx: Context, agent: string, now: string): Procedure<Limits | undefined> {
  if (keptQuotas(tx, now) === undefined) learnQuotas(tx, yield* allQuotas(), now);
  const known = tx.recall(fact)!;
  if (hasNone(known, now)) return undefined;
  const found = JSON.parse(known.slice(now.length)) as Quota[];
  const own = found.find(({ name }) => name === agent);
  const usual = found.find(({ name }) => name === null);
  if (!own || !usual) return own ?? usual;
  const effective = (key: keyof Limits) => own[key] ?? usual[key];
  return {
    messagesPerMinute: effective("messagesPerMinute"),
    bytesPerDay: effective("bytesPerDay"),
    openThreads: effective("openThreads"),
    subAgents: effective("subAgents"),
  };
}

/** What one write adds. */
export interface Spending {
  messages?: number;
  /** Computed only if there is a limit on it. */
  bytes?: () => number;
  threads?: 1;
  subAgents?: 1;
}

/** Refuses a write that would exceed a quota, before anything is written; otherwise counts it. */
export function spend(tx: Context, agent: string, spending: Spending, now: string): Procedure<void> {
  if (agent === person || hasNone(keptQuotas(tx, now), now)) return nothingToAsk;
  return spendLimited(tx, agent, spending, now);
}

function* spendLimited(tx: Context, agent: string, spending: Spending, now: string): Procedure<void> {
  const limits = yield* limitsOf(tx, agent, now);
  if (!limits) return;
  const { threads, subAgents } = spending;
  if (threads && limits.openThreads !== null)
    yield* refuseMore(openThreadsOf(agent), {
      agent,
      quota: "open threads",
      limit: limits.openThreads,
      hint: "wait until some of its threads have ended, or end some",
    });
  if (subAgents && limits.subAgents !== null)
    yield* refuseMore(unfinishedTasksOf(agent), {
      agent,
      quota: "unfinished tasks",
      limit: limits.subAgents,
      hint: "wait until some have finished, or remove some",
    });
  if (limits.messagesPerMinute !== null || limits.bytesPerDay !== null)
    yield* useUp(tx, { agent, limits, spending, now });
}

// Both conditions as in the index of open ones.
const openThreadsOf = (agent: string) => sql`
  select 1 as one from threads where threads.created_by = ${agent} and ${isOpen}`;

const unfinishedTasksOf = (agent: string) => sql`
  select 1 as one from tasks where tasks.parent = ${agent} and tasks.status in ('queued', 'waiting', 'running')`;

interface Exceedable {
  agent: string;
  /** What it limits. */
  quota: string;
  limit: number;
}

function* refuseMore(
  query: Sql,
  { agent, quota, limit, hint }: Exceedable & { hint: string },
): Procedure<void> {
  const page = sql`select count(*) as count from (${query} limit ${literal(limit)}) as page`;
  const has = (yield* one<{ count: number }>(page))!.count;
  if (has < limit) return;
  throw new InboxError("limited", `"${agent}" has ${has} ${quota}; its quota is ${limit}`, {
    hint,
    details: { agent, quota, limit },
  });
}

const usageColumns = columnsOf(quotaUsage);

interface Counting {
  agent: string;
  limits: Limits;
  spending: Spending;
  now: string;
}

function* useUp(tx: Context, { agent, limits, spending, now }: Counting): Procedure<void> {
  const { messagesPerMinute, bytesPerDay } = limits;
  yield* tx.own(`quota:${agent}`);
  const row = yield* one<RowOf<typeof quotaUsage>>(
    sql`select ${usageColumns} from quota_usage where quota_usage.agent_id = ${agent} ${tx.forUpdate}`,
  );
  const minute = now.slice(0, 16);
  const day = now.slice(0, 10);
  const messages = (row?.minute === minute ? row.messages : 0) + (spending.messages ?? 0);
  const bytes = (row?.day === day ? row.bytes : 0) + (spending.bytes?.() ?? 0);
  if (messagesPerMinute !== null && messages > messagesPerMinute && spending.messages)
    throw exceeded(
      { agent, quota: "messages per minute", limit: messagesPerMinute },
      messages,
      `${minute}:59Z`,
    );
  if (bytesPerDay !== null && bytes > bytesPerDay)
    throw exceeded({ agent, quota: "bytes per day", limit: bytesPerDay }, bytes, `${day}T23:59:59Z`);
  yield* run(sql`
    ${insert(quotaUsage, { agent_id: agent, minute, messages, day, bytes })} on conflict (agent_id) do update
    set minute = excluded.minute, messages = excluded.messages, day = excluded.day, bytes = excluded.bytes`);
}

const exceeded = ({ agent, quota, limit }: Exceedable, asked: number, until: string) =>
  new InboxError(
    "limited",
    `this write exceeds the quota of "${agent}": ${quota} are limited to ${limit}, and it would make ${asked}`,
    {
      hint: `nothing was written; the count is reset after ${until}`,
      details: { agent, quota, limit, until },
    },
  );

/** How many bytes of text a message has. */
export const bytesOf = ({ summary, body, payload }: { summary: string; body?: string; payload?: object }) =>
  Buffer.byteLength(summary) +
  Buffer.byteLength(body ?? "") +
  (payload ? Buffer.byteLength(JSON.stringify(payload)) : 0);
