/** What is really in a database file, read past the program. */
import { Database } from "bun:sqlite";

type Value = string | number | null;

export function rows<T>(db: string, text: string, ...values: Value[]): T[] {
  // Not read-only: a log left by a killed process has to be recovered first.
  const opened = new Database(db, { readwrite: true, create: false, strict: true });
  try {
    opened.run("pragma busy_timeout = 5000");
    return opened.query(text).all(...values) as T[];
  } finally {
    opened.close();
  }
}

const tables = ["threads", "messages", "artifacts", "leases", "thread_reads", "agents", "events"];

/** How many rows there are, by table: equal before and after means that nothing was half written. */
export function counts(db: string): Record<string, number> {
  const text = tables.map((table) => `select '${table}' as name, count(*) as rows from ${table}`);
  const found = rows<{ name: string; rows: number }>(db, text.join(" union all "));
  return Object.fromEntries(found.map((row) => [row.name, row.rows]));
}

/** The rules that hold in every database at any time, as a list of what breaks them. */
export function flaws(db: string): unknown[] {
  return [
    ...rows<{ integrity_check: string }>(db, "pragma integrity_check").filter(
      (row) => row.integrity_check !== "ok",
    ),
    ...rows(db, "pragma foreign_key_check"),
    // A lease is held exactly while its thread is being worked on.
    ...rows(
      db,
      `select threads.thread_id, threads.status, leases.agent_id as holder from threads
       left join leases on leases.thread_id = threads.thread_id and leases.released_at is null
       where (threads.status in ('claimed', 'in_progress', 'blocked')) <> (leases.agent_id is not null)`,
    ),
    ...rows(
      db,
      `select threads.thread_id, 'holder is not the assignee' as flaw from threads
       join leases on leases.thread_id = threads.thread_id and leases.released_at is null
       where leases.agent_id <> threads.assigned_to`,
    ),
    // Every message came with exactly one event, and both are numbered in the same order.
    ...rows(
      db,
      `select messages.message_id, count(events.event_id) as events from messages
       left join events on events.message_id = messages.message_id
       group by messages.message_id having count(events.event_id) <> 1`,
    ),
    ...rows(
      db,
      `select * from (
         select event_id, message_id, lag(message_id) over (order by event_id) as before from events
         where message_id is not null) where before >= message_id`,
    ),
    // A thread is there with its first message or not at all.
    ...rows(
      db,
      `select thread_id, latest_message_id from threads where latest_message_id is not
         (select max(message_id) from messages where messages.thread_id = threads.thread_id)`,
    ),
  ];
}
