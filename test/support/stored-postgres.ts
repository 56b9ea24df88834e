/** What is really in a schema of a Postgres server, read past the program. */
import { Database } from "bun:sqlite";
import { join } from "node:path";
import postgres from "postgres";
import { temporaryFolder } from "./folder.ts";

type Row = Record<string, string | number | null>;

/** Opens one connection, and closes it: the server may have been killed and restarted since the last time. */
async function looking<T>(url: string, look: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const [address, words] = url.split("?", 2) as [string, string?];
  const sql = postgres(address, {
    max: 1,
    onnotice: () => {},
    connection: { search_path: new URLSearchParams(words).get("schema") ?? "restante" },
    types: { number: { to: 20, from: [20], parse: Number, serialize: String } },
  });
  try {
    return await look(sql);
  } finally {
    await sql.end();
  }
}

export const stored = <T = Row>(url: string, text: string): Promise<T[]> =>
  looking(url, async (sql) => [...(await sql.unsafe(text))] as T[]);

const rules = {
  "a lease is held exactly while its thread is being worked on": `
    select threads.thread_id, threads.status, leases.agent_id as holder from threads
    left join leases on leases.thread_id = threads.thread_id and leases.released_at is null
    where (threads.status in ('claimed', 'in_progress', 'blocked')) <> (leases.agent_id is not null)`,
  "the holder is the assignee": `
    select threads.thread_id from threads
    join leases on leases.thread_id = threads.thread_id and leases.released_at is null
    where leases.agent_id <> threads.assigned_to`,
  "every message came with exactly one event": `
    select messages.message_id, count(events.event_id) as events from messages
    left join events on events.message_id = messages.message_id
    group by messages.message_id having count(events.event_id) <> 1`,
  "every event's message is there": `
    select event_id, message_id from events
    where message_id is not null and not exists (select from messages where messages.message_id = events.message_id)`,
  // Not so across threads: their transactions run side by side, or they share one.
  "in each thread messages and events are numbered in the same order": `
    select * from (
      select event_id, message_id, thread_id, lag(message_id) over (partition by thread_id order by event_id) as before
      from events where message_id is not null and thread_id is not null) as numbered
    where before >= message_id`,
  "a thread is there with its first message or not at all": `
    select thread_id, latest_message_id from threads where latest_message_id is distinct from
      (select max(message_id) from messages where messages.thread_id = threads.thread_id)`,
  "whoever sent something is known, and joined once": `
    select messages.from_agent from messages left join agents on agents.name = messages.from_agent
    left join events on events.event_type = 'agent.joined' and events.source = messages.from_agent
    group by messages.message_id, messages.from_agent, agents.name having agents.name is null or count(events.event_id) <> 1`,
};

/** The rules that hold in every database at any time, as a list of what breaks them. */
export const flaws = (url: string): Promise<unknown[]> =>
  looking(url, async (sql) => {
    const found = [];
    for (const [rule, text] of Object.entries(rules))
      for (const row of await sql.unsafe(text)) found.push({ rule, ...row });
    return found;
  });

/** The tables that the checks of the kill tests read, as a file of the other engine: the same checks serve both. */
export async function copied(url: string): Promise<{ path: string; [Symbol.dispose](): void }> {
  const folder = temporaryFolder();
  const path = join(folder.path, "copy.db");
  const copy = new Database(path, { create: true, strict: true });
  await looking(url, async (sql) => {
    for (const table of ["threads", "messages", "events"]) {
      const rows = await sql.unsafe<Row[]>(`select * from ${table}`);
      const names = rows.columns.map(({ name }) => name);
      copy.run(`create table ${table} (${names.join(", ")})`);
      const insert = copy.query(`insert into ${table} values (${names.map(() => "?").join(", ")})`);
      copy.transaction(() => {
        for (const row of rows) insert.run(...names.map((name) => row[name]!));
      })();
    }
  });
  copy.close();
  return { path, [Symbol.dispose]: folder[Symbol.dispose] };
}
