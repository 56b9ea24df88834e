/** The rows of `inbox send` on Postgres with nothing around them: the driver, a connection, and one statement. */
import type postgres from "postgres";

// Required, as the engine does: an import would load what no command needs.
const loaded = require("postgres") as typeof postgres & { default?: typeof postgres };
const options = { max: 1, fetch_types: false, connection: { search_path: "restante" } };
const sql = (loaded.default ?? loaded)(process.argv.at(-1)!, options);
const now = new Date().toISOString();
const [row] = await sql.unsafe(
  `with thread as (
     insert into threads (run_id, task_id, subject, created_by, assigned_to, addressed_to, status, created_at, updated_at)
     values ('default', 'task', $1, $2, $3, $3, 'pending', $4, $4) returning thread_id),
   message as (
     insert into messages (thread_id, from_agent, to_agent, kind, summary, created_at)
     select thread_id, $2, $3, 'task', $1, $4 from thread returning message_id, thread_id),
   event as (
     insert into events (thread_id, source, event_type, message_id, created_at)
     select thread_id, $2, 'thread.created', message_id, $4 from message)
   select thread_id, message_id from message`,
  ["Add the routes", "leader", "worker", now],
);
await Bun.write(Bun.stdout, `${JSON.stringify({ ok: true, ...row })}\n`);
process.exit(0);
