/** The rows of `inbox send` with nothing around them: what the command cannot go below on this runtime. */
import { Database } from "bun:sqlite";

const db = new Database(process.argv.at(-1)!, { readwrite: true, create: false, strict: true });
db.run("pragma busy_timeout = 5000; pragma synchronous = full; pragma foreign_keys = on");
const now = new Date().toISOString();
db.run("begin immediate");
db.query("update agents set last_seen_at = ? where name = ? and last_seen_at < ?").run(now, "leader", now);
const { thread_id } = db
  .query<{ thread_id: number }, string[]>(
    `insert into threads (run_id, task_id, subject, created_by, assigned_to, addressed_to, status, created_at, updated_at)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?) returning thread_id`,
  )
  .get("default", "task", "Add the routes", "leader", "worker", "worker", "pending", now, now)!;
const { message_id } = db
  .query<{ message_id: number }, (string | number)[]>(
    `insert into messages (thread_id, from_agent, to_agent, kind, summary, created_at)
     values (?, ?, ?, ?, ?, ?) returning message_id`,
  )
  .get(thread_id, "leader", "worker", "task", "Add the routes", now)!;
db.query("update threads set latest_message_id = ? where thread_id = ?").run(message_id, thread_id);
db.query(
  "insert into events (thread_id, source, event_type, message_id, created_at) values (?, ?, ?, ?, ?)",
).run(thread_id, "leader", "thread.created", message_id, now);
db.run("commit");
await Bun.write(Bun.stdout, `${JSON.stringify({ ok: true, thread_id, message_id })}\n`);
process.exit(0);
