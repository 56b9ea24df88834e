/**
 * A database with very many threads, made in seconds: rows by SQL, indexes afterwards.
 *   spread   over 100 agents; 99 % done. The asked agent has the same 100 open threads at every size, so
 *            that answers are equally long: 60 pending, 20 blocked, 20 claimed.
 *   heap     all of them pending for one agent.
 */
import { Database } from "bun:sqlite";
import { createDatabase } from "../../src/engines/sqlite/connect.ts";

export type Shape = "spread" | "heap";

export const fillDatabase = (path: string, threads: number, shape: Shape) =>
  fillTables(path, rows(threads, shape));

export function fillTables(path: string, statements: readonly string[]): void {
  createDatabase(path);
  const db = new Database(path);
  db.run(
    "pragma journal_mode = wal; pragma synchronous = off; pragma cache_size = -500000; pragma foreign_keys = off",
  );
  db.run("pragma temp_store = memory; pragma wal_autocheckpoint = 0");
  const indexes = db
    .query<{ name: string; sql: string }, []>(
      "select name, sql from sqlite_schema where type = 'index' and sql <> ''",
    )
    .all();
  db.run("begin");
  for (const { name } of indexes) db.run(`drop index ${name}`);
  for (const statement of statements) db.run(statement);
  for (const { sql } of indexes) db.run(sql);
  db.run("commit");
  db.run("pragma wal_checkpoint(truncate)");
  db.close();
}

const open = 100;

/** The asked agent's pending threads, all over the database in turn. */
export function pendingThread(threads: number, turn: number): string {
  const which = Math.floor(((turn * 0.618) % 1) * (open / 5)) * 5 + 2;
  return `thr_${(threads / open) * which}`;
}

/** Threads that are done (in a heap none is: any one), all over the database in turn. */
export function doneThread(threads: number, turn: number, shape: Shape): string {
  const number = Math.floor(((turn * 0.618) % 1) * threads) + 1;
  const isOpen = number % (threads / open) === 0 || number % 101 === 0;
  return shape === "spread" && isOpen ? doneThread(threads, turn + 1, shape) : `thr_${number}`;
}

const at = "'2026-01-01T00:00:00.000Z'";
const never = "'2999-01-01T00:00:00.000Z'";

function rows(threads: number, shape: Shape): string[] {
  const numbers = `with recursive numbers (i) as (select 1 union all select i + 1 from numbers where i < ${threads})`;
  // Every (threads / 100)th thread is one of the asked agent's open ones; of the others, 1 in 100 is open.
  const step = threads / open;
  const status =
    shape === "heap"
      ? "'pending'"
      : `case when i % ${step} = 0 then
          case (i / ${step}) % 5 when 0 then 'blocked' when 1 then 'claimed' else 'pending' end
        when i % 101 = 0 then case i % 3 when 0 then 'blocked' when 1 then 'claimed' else 'pending' end
        else 'done' end`;
  const assigned = shape === "heap" ? "'worker'" : `iif(i % ${step} = 0, 'worker', 'agent-' || (i % 100))`;
  const result = "status = 'done'";
  return [
    `insert into threads (thread_id, run_id, task_id, subject, created_by, assigned_to, addressed_to, status, priority,
       latest_message_id, created_at, updated_at)
     ${numbers} select i, 'run-' || (i % 1000), 'task-' || i, 'Subject of thread ' || i, 'leader', ${assigned}, ${assigned},
       ${status}, iif(i % 10 = 0, 'high', 'normal'), i, ${at}, ${at} from numbers`,
    `insert into messages (message_id, thread_id, from_agent, to_agent, kind, summary, body, created_at, acked_at)
     select thread_id, thread_id, created_by, assigned_to, 'task', subject, 'What is to be done, in a sentence or two.',
       ${at}, iif(${result}, ${at}, null) from threads`,
    `insert into messages (thread_id, from_agent, to_agent, kind, summary, created_at)
     select thread_id, assigned_to, created_by, 'result', 'It is done', ${at} from threads where ${result}`,
    `insert into events (thread_id, source, event_type, status, created_by, assigned_to, message_id, created_at)
     select thread_id, from_agent, iif(kind = 'task', 'thread.created', 'thread.done'), 'pending', from_agent, to_agent,
       message_id, ${at} from messages`,
    `insert into leases (thread_id, agent_id, lease_token, attempt, claimed_at, expires_at, released_at)
     select thread_id, assigned_to, 'token', 1, ${at}, ${never}, iif(${result}, ${at}, null)
     from threads where status <> 'pending'`,
    `insert into agents (name, first_seen_at, last_seen_at) select distinct assigned_to, ${at}, ${at} from threads`,
    "insert or ignore into agents (name, first_seen_at, last_seen_at) values ('leader', '', '')",
  ];
}
