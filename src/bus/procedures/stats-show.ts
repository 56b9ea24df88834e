/**
 * [O1] The state of a bus at one moment. Large tables are not read as a whole: inboxes are found from name to name in
 * the index and counted up to a limit, and rates look at the newest events only.
 */
import { idOf } from "../../contract/ids.ts";
import { rateSeconds, type Stats, statsHours, statsLimit } from "../../contract/stats.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all, one } from "../../sql/procedure.ts";
import { fragment, literal, sql } from "../../sql/sql.ts";
import { liveSince } from "../agent.ts";
import { doomed, unexpired } from "../channel.ts";
import { costsNow } from "../daily-limit.ts";
import { hasGone } from "../ended-agent.ts";
import { type InboxWithMail, inboxesOf, inboxLimit, mailIn, mostMail } from "../inboxes.ts";
import { retentionRules } from "../retention/rules.ts";
import { isRunning } from "../task.ts";
import { isEnded, isOpen } from "../thread.ts";
import { usagesOf, usageViews } from "../usage.ts";
import { and, visible } from "../visible.ts";

/** A sub-agent, and where its transcript is. */
type Running = Omit<Stats["subAgents"][number], "lastLine"> & { host: string | null; folder: string | null };
export type StatsRead = Omit<Stats, "subAgents"> & { subAgents: Running[] };

/** The maximum number of events for a rate. */
const eventLimit = 20_000;

/** `attending`: agents with an open wait. */
export function* statsShow(tx: Context, attending: ReadonlySet<string>): Procedure<StatsRead> {
  const now = yield* tx.clock();
  const inboxes = yield* inboxesOf(tx, "agents", now);
  const unused = yield* inboxesOf(tx, "nobody", now);
  const oldest = inboxes.toSorted((a, b) => a.oldest - b.oldest)[0];
  const live = yield* liveOnes(now, attending);
  const known = yield* counted(sql`select count(*) as count from agents`);
  return {
    at: now,
    agents: { known, live: live.size, waiting: attending.size },
    threads: yield* openThreads(),
    mail: {
      waiting: mailIn(inboxes),
      oldest: oldest
        ? { id: oldest.oldest, agent: oldest.name, createdAt: yield* writtenAt(oldest.oldest) }
        : null,
      unused: { names: unused.length, waiting: mailIn(unused) },
    },
    deadLetters: yield* deadLetters(now),
    unreadEntries: yield* counted(
      sql`select count(*) as count from entries where entries.read_at is null and entries.deleted_at is null`,
    ),
    costs: yield* costsToday(now),
    tasks: yield* openTasks(),
    rates: yield* ratesUntil(now),
    hours: yield* endedByHour(now),
    ...((yield* deletesRecent()) && { hoursReduced: true as const }),
    queues: yield* longestQueues(inboxes, live),
    unused: yield* longestUnused(unused),
    waiters: [...attending].toSorted(byName).slice(0, statsLimit),
    leases: yield* leasesEndingSoonest(tx, now),
    subAgents: yield* runningSubAgents(tx),
  };
}

/** Those on record, and those that time has made: two counts, each by its own index. */
function* deadLetters(now: string): Procedure<number> {
  const onRecord = yield* counted(
    sql`select count(*) as count from messages where messages.dead_at is not null and ${unexpired(now)}`,
  );
  const made = yield* counted(
    sql`select count(*) as count from messages where ${doomed(now)} and ${unexpired(now)}`,
  );
  return onRecord + made;
}

const byName = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

function* counted(query: ReturnType<typeof sql>): Procedure<number> {
  return (yield* one<{ count: number }>(query))!.count;
}

function* writtenAt(message: number): Procedure<string> {
  const row = yield* one<{ created_at: string }>(
    sql`select messages.created_at from messages where messages.message_id = ${message}`,
  );
  return row!.created_at;
}

/** [B8] Seen within a minute, running as a sub-agent, or waiting. */
function* liveOnes(now: string, attending: ReadonlySet<string>): Procedure<Set<string>> {
  const rows = yield* all<{ name: string }>(sql`
    select agents.name from agents where agents.last_seen_at >= ${liveSince(now)} and not ${hasGone(fragment`agents.name`)}
    union select tasks.name from tasks where ${isRunning} and tasks.worker is null order by name`);
  return new Set([...rows.map(({ name }) => name), ...attending]);
}

function* openThreads(): Procedure<Stats["threads"]> {
  const rows = yield* all<{ status: string; count: number }>(sql`
    select threads.status, count(*) as count from threads
    where ${isOpen}
    group by threads.status order by threads.status`);
  const of = (status: string) => rows.find((row) => row.status === status)?.count ?? 0;
  return {
    pending: of("pending"),
    claimed: of("claimed"),
    inProgress: of("in_progress"),
    blocked: of("blocked"),
  };
}

function* openTasks(): Procedure<Stats["tasks"]> {
  const rows = yield* all<{ status: string; count: number }>(sql`
    select tasks.status, count(*) as count from tasks where tasks.status <> 'finished'
    group by tasks.status order by tasks.status`);
  const of = (status: string) => rows.find((row) => row.status === status)?.count ?? 0;
  return { queued: of("queued"), waiting: of("waiting"), running: of("running") };
}

function* costsToday(now: string): Procedure<Stats["costs"]> {
  const { today, limit, held } = yield* costsNow(now, 1);
  return { today, limit, held: held !== null };
}

function* ratesUntil(now: string): Procedure<Stats["rates"]> {
  const since = new Date(Date.parse(now) - rateSeconds * 1000).toISOString();
  const rows = yield* all<{ event_type: string; count: number }>(sql`
    select newest.event_type, count(*) as count from (
      select events.event_type, events.created_at from events order by events.event_id desc limit ${literal(eventLimit)}
    ) as newest where newest.created_at > ${since} group by newest.event_type order by newest.event_type`);
  const of = (...types: string[]) =>
    rows.reduce((sum, row) => (types.includes(row.event_type) ? sum + row.count : sum), 0);
  return {
    events: rows.reduce((sum, { count }) => sum + count, 0),
    sent: of("message.sent", "thread.created", "thread.updated"),
    claimed: of("thread.claimed"),
    ended: of("thread.done", "thread.failed", "thread.cancelled"),
    tasksFinished: of("task.finished"),
  };
}

const hourMs = 3_600_000;
/** The maximum number of threads to read: if there are more, the counts of the earliest hours are too low. */
const endedLimit = 20_000;

function* endedByHour(now: string): Procedure<Stats["hours"]> {
  const last = Math.floor(Date.parse(now) / hourMs) * hourMs;
  const starts = Array.from({ length: statsHours }, (_, n) =>
    new Date(last - (statsHours - 1 - n) * hourMs).toISOString(),
  );
  const rows = yield* all<{ hour: string; status: string; count: number }>(sql`
    select newest.hour, newest.status, count(*) as count from (
      select substr(threads.updated_at, 1, 13) as hour, threads.status from threads
      where ${isEnded} and threads.updated_at >= ${starts[0]!}
      order by threads.updated_at desc, threads.thread_id desc limit ${literal(endedLimit)}
    ) as newest group by newest.hour, newest.status order by newest.hour, newest.status`);
  return starts.map((at) => {
    const of = (status: string) =>
      rows.find((row) => row.hour === at.slice(0, 13) && row.status === status)?.count ?? 0;
    return { at, done: of("done"), failed: of("failed"), cancelled: of("cancelled") };
  });
}

/** [O1.5] Whether a limit may delete threads that ended in the hours that are shown. */
function* deletesRecent(): Procedure<boolean> {
  const isShort = (days: number | null) => days !== null && days * 24 < statsHours;
  return (yield* retentionRules()).some(
    ({ kind, days, count }) => (kind === "threads" || kind === "tasks") && (count !== null || isShort(days)),
  );
}

/** Those with the most first. */
function* longestQueues(
  inboxes: readonly InboxWithMail[],
  live: ReadonlySet<string>,
): Procedure<Stats["queues"]> {
  const pending = yield* all<{ name: string; count: number }>(sql`
    select threads.assigned_to as name, count(*) as count from threads where threads.status = 'pending'
    group by threads.assigned_to order by count(*) desc, threads.assigned_to limit ${literal(inboxLimit)}`);
  const pendingOf = new Map(pending.map(({ name, count }) => [name, count]));
  const mailOf = new Map(inboxes.map((inbox) => [inbox.name, inbox]));
  const longest = [...new Set([...mailOf.keys(), ...pendingOf.keys()])]
    .map((name) => ({ name, mail: mailOf.get(name)?.mail ?? 0, pending: pendingOf.get(name) ?? 0 }))
    .toSorted((a, b) => b.mail + b.pending - (a.mail + a.pending) || byName(a.name, b.name))
    .slice(0, statsLimit);
  const queues: Stats["queues"] = [];
  for (const queue of longest) {
    const oldest = mailOf.get(queue.name)?.oldest;
    const oldestAt = oldest === undefined ? null : yield* writtenAt(oldest);
    queues.push({ ...queue, oldestAt, live: live.has(queue.name) });
  }
  return queues;
}

function* longestUnused(unused: readonly InboxWithMail[]): Procedure<Stats["unused"]> {
  const rows: Stats["unused"] = [];
  for (const { name, mail, oldest } of mostMail(unused))
    rows.push({ name, mail, oldestAt: yield* writtenAt(oldest) });
  return rows;
}

interface LeaseRow {
  thread_id: number;
  subject: string;
  agent_id: string;
  expires_at: string;
}

function* leasesEndingSoonest(tx: Context, now: string): Procedure<Stats["leases"]> {
  const rows = yield* all<LeaseRow>(sql`
    select leases.thread_id, threads.subject, leases.agent_id, leases.expires_at from leases
      join threads on threads.thread_id = leases.thread_id
    where leases.released_at is null and threads.status in ('claimed', 'in_progress', 'blocked') ${and(visible.threads(tx))}
    order by leases.expires_at, leases.thread_id limit ${literal(statsLimit)}`);
  return rows.map((row) => ({
    threadId: idOf("thread", row.thread_id),
    subject: row.subject,
    agent: row.agent_id,
    expiresAt: row.expires_at,
    lapsed: row.expires_at <= now,
  }));
}

function* runningSubAgents(tx: Context): Procedure<Running[]> {
  const rows = yield* all<{
    task_number: number;
    name: string;
    parent: string;
    started_at: string | null;
    host: string | null;
    folder: string | null;
  }>(sql`
    select tasks.task_number, tasks.name, tasks.parent, tasks.started_at, tasks.host, tasks.folder from tasks
    where ${isRunning} and tasks.worker is null ${and(visible.tasks(tx))}
    order by tasks.started_at, tasks.task_number limit ${literal(statsLimit)}`);
  const usages = yield* usagesOf(rows);
  return rows.map(({ started_at, task_number, ...row }) => ({
    ...row,
    startedAt: started_at,
    usageTotal: usageViews(usages.get(task_number)).usageTotal,
  }));
}
