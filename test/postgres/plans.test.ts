/**
 * [G7] What a call reads does not grow with what lies in the database. The server chooses its plans by statistics, and those
 * of an old bus mislead it: most mail of a busy agent is acked and most of its threads have ended, and it assumes that
 * those that are not are evenly spread. So every statement of a call is explained on such a bus, after `analyze`.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import postgres from "postgres";
import { Connection } from "../../src/engines/postgres/connection.ts";
import { type EmbeddedInbox, openInbox } from "../../src/inbox/inbox.ts";
import type { SqlValue } from "../../src/sql/sql.ts";
import { type Place, postgresUrl, temporarySchema } from "../support/postgres.ts";
import { until } from "../support/until.ts";

/** Rows that a call may read in vain. The tables have a hundred times as many. */
const enough = 200;
const old = 5000;
const at = "'2026-01-01T00:00:00.000Z'";

let place: Place;
let inbox: EmbeddedInbox;
let direct: postgres.Sql;
const original = Connection.prototype.run;
/** Connections in a transaction, and the explanations of their statements that were asked for. */
const started = new Set<Connection>();
let explanations: Promise<string[]>[] = [];

/**
 * One agent, `busy`, gets nearly all the work. The server counts while half of it waits; then `busy` does all of it. A little
 * is left for it, and for an agent that comes seldom.
 */
const history = (schema: string) => `
  set search_path to ${schema};
  insert into agents (name, first_seen_at, last_seen_at) values ('busy', ${at}, ${at}), ('lead', ${at}, ${at}), ('rare', ${at}, ${at});
  insert into threads (run_id, task_id, subject, created_by, assigned_to, addressed_to, status, created_at, updated_at)
    select 'r', 'task-' || i, 'Subject', 'lead', 'busy', 'busy', case i % 2 when 0 then 'done' else 'pending' end, ${at}, ${at}
    from generate_series(1, ${old}) as i;
  insert into messages (thread_id, from_agent, to_agent, kind, summary, created_at, acked_at)
    select case i % 4 when 0 then i / 4 end, case i % 4 when 1 then 'busy' else 'lead' end, case i % 4 when 1 then 'lead' else 'busy' end,
      case i % 4 when 0 then 'task' else 'event' end, repeat('x', 100), ${at}, case when i % 7 < 3 then ${at} end
    from generate_series(4, ${4 * old}) as i;
  insert into leases (thread_id, agent_id, lease_token, attempt, claimed_at, expires_at, released_at)
    select i, 'busy', 'token-' || i, 1, ${at}, ${at}, ${at} from generate_series(1, ${old}, 2) as i;
  insert into events (thread_id, source, event_type, status, created_by, assigned_to, created_at)
    select i, 'busy', 'thread.done', 'done', 'lead', 'busy', ${at} from generate_series(1, ${old}) as i;
  analyze;
  update messages set acked_at = ${at}, acked_by = to_agent, handed = 1 where acked_at is null;
  update threads set status = 'done' where status = 'pending'`;

/** Rows that were changed are read, too, until they are removed. A transaction of another test may stand in the way for a moment. */
async function vacuumed(schema: string): Promise<boolean> {
  await direct.unsafe("vacuum").simple();
  const [{ left }] = (await direct.unsafe(`
    select count(*) as left from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where nspname = '${schema}' and relname in ('messages', 'threads', 'events', 'leases') and relallvisible < relpages`)) as unknown as [
    { left: string },
  ];
  return Number(left) === 0;
}

beforeAll(async () => {
  if (!postgresUrl) return;
  place = await temporarySchema();
  direct = postgres(postgresUrl, { max: 1, onnotice: () => {}, fetch_types: false });
  for (const statement of history(place.schema)
    .split(";")
    .filter((text) => text.trim()))
    await direct.unsafe(statement).simple();
  await until("all changed rows are removed", () => vacuumed(place.schema), 60_000);
  inbox = openInbox(place.url);
  Connection.prototype.run = function (text, values = []) {
    if (text.startsWith("begin")) started.add(this);
    if (started.has(this)) explain(this, text, values);
    else if (/^with (caller|calling) as materialized/.test(text)) {
      // A plain case has no transaction to be undone in.
      void original.call(this, "begin");
      explain(this, text, values);
      void original.call(this, "rollback");
    }
    if (text === "commit" || text === "rollback") started.delete(this);
    return original.call(this, text, values);
  };
});

afterAll(async () => {
  Connection.prototype.run = original;
  await inbox?.close();
  await direct?.end();
  place?.[Symbol.dispose]();
});

interface Plan {
  "Node Type": string;
  "Index Name"?: string;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Index Recheck"?: number;
  "Actual Rows": number;
  "Actual Loops": number;
  "Shared Hit Blocks": number;
  "Shared Read Blocks": number;
  Plans?: Plan[];
}

const enoughBlocks = 40;

/** The parts of a plan that read more rows than they return. */
function wasteful(plan: Plan): string[] {
  const removed = ((plan["Rows Removed by Filter"] ?? 0) + plan["Actual Rows"]) * plan["Actual Loops"];
  const here =
    removed > enough ? [`${plan["Node Type"]} ${plan["Index Name"] ?? ""} reads ${removed} rows`] : [];
  // What an index passes over to find its rows is in no count of rows.
  const blocks = plan["Shared Hit Blocks"] + plan["Shared Read Blocks"];
  const passing =
    plan["Index Name"] !== undefined &&
    !plan.Plans?.length &&
    blocks > enoughBlocks + 6 * (removed + plan["Actual Loops"]);
  const over = passing ? [`${plan["Node Type"]} ${plan["Index Name"] ?? ""} reads ${blocks} blocks`] : [];
  return [...here, ...over, ...(plan.Plans ?? []).flatMap(wasteful)];
}

/** By this the server weighs an index against another one. Whatever it believes, the plan has to be a good one. */
const randomPageCosts = [1.1, 4, 40];
let made = 0;

/**
 * Explained where and when it runs: the statement is run, undone, and run again by whoever asked. As a prepared one: for that the
 * server makes one plan for all values, and for `explain` of a text one for these values.
 */
function explain(connection: Connection, text: string, values: readonly SqlValue[]): void {
  if (!/^\s*(select|with|insert|update|delete)\b/i.test(text)) return;
  const run = (more: string) => original.call(connection, more);
  const given = values.length ? `(${values.map(literal).join(", ")})` : "";
  for (const cost of randomPageCosts) {
    const name = `explained_${++made}`;
    void run("savepoint explained");
    void run(`set local random_page_cost = ${cost}`);
    void run(`prepare ${name} as ${text}`);
    const rows = run(`explain (analyze, buffers, format json) execute ${name}${given}`);
    void run("rollback to savepoint explained");
    void run(`deallocate ${name}`);
    explanations.push(
      rows.then(([row]) => {
        const [{ Plan: plan }] = Object.values(row!)[0] as unknown as [{ Plan: Plan }];
        return wasteful(plan).map((what) => `${what} in ${text}`);
      }),
    );
  }
}

const literal = (value: SqlValue) =>
  value === null ? "null" : typeof value === "number" ? String(value) : `'${value.replaceAll("'", "''")}'`;

type Work = (inbox: EmbeddedInbox) => Promise<unknown>;
const twice = <T>(call: () => Promise<T>): Promise<[T, T]> => Promise.all([call(), call()]);
const busy = "busy";
let last: string;
const calls: Record<string, Work> = {
  send: (inbox) => inbox.call("messages.send", { channel: busy, sender: "lead", content: "x" }),
  "send, once both sides are known": (inbox) =>
    inbox.call("messages.send", { channel: busy, sender: "lead", content: "x" }),
  "send AGENT MESSAGE": (inbox) => inbox.call("mailbox.send", { to: busy, from: "lead", message: "x" }),
  "msg send TOPIC": (inbox) =>
    inbox.call("messages.send", { channel: "topic", sender: "lead", content: "x" }),
  "msg send TOPIC, once it is used": (inbox) =>
    inbox.call("messages.send", { channel: "topic", sender: "lead", content: "x" }),
  "send --to": async (inbox) => {
    const { thread } = await inbox.call("threads.send", { from: "lead", to: busy, subject: "s" });
    last = thread.threadId;
  },
  "receive, nothing there": (inbox) => inbox.call("mailbox.receive", { agent: "rare", timeoutSeconds: 0 }),
  mail: (inbox) => inbox.call("mailbox.list", { agent: busy }),
  "msg inbox": (inbox) => inbox.call("messages.inbox", { channel: busy }),
  "msg inbox --after": (inbox) => inbox.call("messages.inbox", { channel: busy, afterId: 4 * old - 1000 }),
  "msg inbox --include-acked": (inbox) =>
    inbox.call("messages.inbox", { channel: busy, includeAcked: true, afterId: 10 }),
  "msg inbox --include-acked --newest": (inbox) =>
    inbox.call("messages.inbox", { channel: busy, includeAcked: true, newest: true }),
  "msg inbox --only-acked": (inbox) => inbox.call("messages.inbox", { channel: busy, onlyAcked: true }),
  "msg pending": (inbox) => inbox.call("messages.pending", { channel: busy }),
  "msg replies": (inbox) => inbox.call("messages.replies", { correlationId: "none" }),
  "msg ack all": (inbox) => inbox.call("messages.ackAll", { channel: "rare", agent: "rare" }),
  receive: (inbox) => inbox.call("mailbox.receive", { agent: busy, timeoutSeconds: 0 }),
  check: (inbox) => inbox.call("mailbox.check", { agent: busy }),
  gather: (inbox) => inbox.call("mailbox.gather", { agent: "lead", from: ["rare"], timeoutSeconds: 0 }),
  fetch: (inbox) => inbox.call("threads.fetch", { agent: busy }),
  "fetch --unread": (inbox) => inbox.call("threads.fetch", { agent: busy, unread: true }),
  claim: (inbox) => inbox.call("threads.claim", { agent: busy }),
  "claim, nothing there": (inbox) => inbox.call("threads.claim", { agent: "rare" }),
  update: (inbox) => inbox.call("threads.update", { agent: busy, thread: last, status: "in_progress" }),
  reply: (inbox) => inbox.call("threads.reply", { from: "lead", thread: last, summary: "s" }),
  "wait-reply": (inbox) => inbox.call("threads.waitReply", { agent: busy, thread: last, timeoutSeconds: 0 }),
  show: (inbox) => inbox.call("threads.show", { thread: last }),
  done: (inbox) => inbox.call("threads.done", { agent: busy, thread: last, summary: "s" }),
  // A statement for several callers is another one.
  "send, two at once": (inbox) =>
    twice(() => inbox.call("mailbox.send", { to: busy, from: "lead", message: "x" })),
  "send --to, two at once": (inbox) =>
    twice(() => inbox.call("threads.send", { from: "lead", to: busy, subject: "s" })),
  "claim and claim --done, two at once": async (inbox) => {
    await twice(() => inbox.call("threads.send", { from: "lead", to: busy, subject: "s" }));
    const held = await twice(() => inbox.call("threads.claim", { agent: busy }));
    await Promise.all(
      held.map(({ thread }) =>
        inbox.call("threads.claim", { agent: busy, done: thread!.threadId, body: "b" }),
      ),
    );
  },
  "claim --done": async (inbox) => {
    await twice(() => inbox.call("threads.send", { from: "lead", to: busy, subject: "s" }));
    const { thread } = await inbox.call("threads.claim", { agent: busy });
    await inbox.call("threads.claim", { agent: busy, done: thread!.threadId, body: "b" });
  },
  list: (inbox) => inbox.call("threads.list", {}),
  "list --agent": (inbox) => inbox.call("threads.list", { agent: busy }),
  "list --agent, who has none": (inbox) => inbox.call("threads.list", { agent: "rare" }),
  "list --status": (inbox) => inbox.call("threads.list", { status: ["pending"] }),
  "list --assigned-to": (inbox) => inbox.call("threads.list", { assignedTo: "rare" }),
  "list --assigned-to --status": (inbox) =>
    inbox.call("threads.list", { assignedTo: busy, status: ["pending", "blocked"] }),
  "list --run": (inbox) => inbox.call("threads.list", { run: "none" }),
  watch: (inbox) => inbox.call("events.watch", { afterEvent: old - 50, timeoutSeconds: 0 }),
  "watch --thread": (inbox) => inbox.call("events.watch", { afterEvent: 0, thread: last, timeoutSeconds: 0 }),
  "dlq list": (inbox) => inbox.call("deadLetters.list", {}),
  "dlq list --channel": (inbox) => inbox.call("deadLetters.list", { channel: busy }),
  "msg gc": (inbox) => inbox.call("messages.gc", {}),
  agents: (inbox) => inbox.call("agents.list", {}),
  "msg channels": (inbox) => inbox.call("messages.channels", {}),
  "msg readers": (inbox) => inbox.call("messages.readers", { channel: busy }),
  queue: (inbox) => inbox.call("tasks.queue", { agent: "lead" }),
  "entries list": (inbox) => inbox.call("entries.history", {}),
  "entries list --unread": (inbox) => inbox.call("entries.history", { unread: true }),
};

if (postgresUrl)
  for (const [name, work] of Object.entries(calls))
    test(`[G7] ${name} on an old bus reads no more than it needs`, async () => {
      explanations = [];
      await work(inbox);
      expect(explanations.length).toBeGreaterThan(0);
      const wastes = (await Promise.all(explanations)).flat();
      expect(wastes).toEqual([]);
    });
