/** Filling our own tables past the program, which would take minutes; and what autovacuum would do a minute later. */
import { Database } from "bun:sqlite";
import postgres from "postgres";
import { databaseFile } from "../../src/location/locate.ts";
import { shelf, text } from "./contender.ts";

const at = "'2026-01-01T00:00:00.000Z'";
const numbers = (count: number) =>
  `with recursive numbers (i) as (select 1 union all select i + 1 from numbers where i < ${count})`;

const threadsFor = (agent: string, count: number) => [
  `insert into threads (run_id, task_id, subject, created_by, assigned_to, addressed_to, status, created_at, updated_at)
   ${numbers(count)} select 'default', 'stock', 'Add the routes', 'leader', '${agent}', '${agent}', 'pending', ${at}, ${at} from numbers`,
  `insert into messages (thread_id, from_agent, to_agent, kind, summary, body, task_id, created_at)
   select thread_id, created_by, assigned_to, 'task', subject, '${text}', task_id, ${at} from threads where task_id = 'stock'`,
  `update threads set task_id = 'thr_' || thread_id,
     latest_message_id = (select message_id from messages where messages.thread_id = threads.thread_id)
   where task_id = 'stock'`,
];

/** As they would come: to one after the other. */
const messagesFor = (agents: readonly string[], each: number) => [
  `insert into messages (from_agent, to_agent, kind, summary, body, created_at)
   ${numbers(each)} select 'leader', agents.name, 'event', '${text.slice(0, 120)}', '${text}', ${at}
   from numbers, agents where agents.name in (${agents.map((agent) => `'${agent}'`).join(", ")}) order by i`,
];

/** Whoever is written to is known: a first letter to a stranger costs more. */
const known = (names: readonly string[]) => [
  `insert into agents (name, first_seen_at, last_seen_at)
   values ${names.map((name) => `('${name}', ${at}, ${at})`).join(", ")} on conflict do nothing`,
];

export const introduce = (location: string, names: readonly string[]) => fill(location, known(names));

/** `claim`, `next`: threads for one worker. `receive`: mail for each client's own inbox. */
export function stocked(location: string, worker: string, inboxOf: (client: number) => string) {
  const { left, add, taken, refill } = shelf();
  return {
    taken,
    async stock(work: string, clients: number, count: number): Promise<void> {
      const claims = work === "claim" || work === "next";
      if (claims) await refill(worker, count, (missing) => fill(location, threadsFor(worker, missing)));
      if (work === "receive") {
        const inboxes = Array.from({ length: clients }, (_, client) => inboxOf(client));
        const each = Math.ceil(count / clients);
        const missing = Math.max(...inboxes.map((inbox) => each - left(inbox)));
        if (missing > 0) await fill(location, messagesFor(inboxes, missing));
        for (const inbox of inboxes) add(inbox, Math.max(0, missing));
      }
      const takes = claims || work === "receive";
      if (takes && databaseFile(location) === undefined) await tidy(location);
    },
  };
}

async function fill(location: string, statements: readonly string[]): Promise<void> {
  if (databaseFile(location) === undefined)
    return withServer(location, async (sql) => {
      await sql.begin(async (sql) => {
        await sql`set local search_path = restante`;
        for (const statement of statements) await sql.unsafe(statement);
      });
    });
  const db = new Database(location);
  db.run("pragma busy_timeout = 5000");
  db.transaction(() => {
    for (const statement of statements) db.run(statement);
  })();
  db.close();
}

/** So that every cell begins with the same: no dead rows, and plans for tables that are full. */
export const tidy = (url: string) => withServer(url, (sql) => sql`vacuum analyze`);

async function withServer(url: string, work: (sql: postgres.Sql) => Promise<unknown>): Promise<void> {
  const sql = postgres(url.split("?", 1)[0]!, { max: 1, onnotice: () => {} });
  try {
    await work(sql);
  } finally {
    await sql.end();
  }
}
