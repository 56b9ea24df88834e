/** A bus of a test's own on the tests' Postgres: a schema, used again by the next test, since making one takes longer than most tests. */
import postgres from "postgres";
import { createPostgres } from "../../src/engines/postgres/connect.ts";

export const postgresUrl = process.env.TEST_POSTGRES || undefined;

const tables =
  "task_dependencies, tasks, queues, supervision, workspaces, entries, erased_entries, search_words, outbox, presence, tokens, idempotency_keys, pruned, readers, events, pool_members, pools, agents, thread_reads, lost_leases, leases, artifacts, messages, threads".split(
    ", ",
  );
const sequences =
  "threads_thread_id_seq, messages_message_id_seq, artifacts_artifact_id_seq, event_numbers, tokens_token_id_seq, entries_entry_number_seq, erased_entries_erased_number_seq, tasks_task_number_seq".split(
    ", ",
  );

const free: string[] = [];
let made = 0;
let admin: postgres.Sql | undefined;

/** The driver itself, past the program. */
export function administrator(): postgres.Sql {
  admin ??= postgres(postgresUrl!, { max: 1, onnotice: () => {}, idle_timeout: 1 });
  return admin;
}

export interface Place {
  url: string;
  schema: string;
  [Symbol.dispose](): void;
}

/** Empty, and counting from 1, whoever had it before. */
export async function temporarySchema(): Promise<Place> {
  const schema = free.pop() ?? (await create());
  await empty(schema);
  const url = `${postgresUrl}?schema=${schema}&pool=4`;
  return { url, schema, [Symbol.dispose]: () => void free.push(schema) };
}

async function create(): Promise<string> {
  const schema = `test_${process.pid}_${made++}`;
  await createPostgres(`${postgresUrl}?schema=${schema}`);
  return schema;
}

async function empty(schema: string): Promise<void> {
  const statements = [
    ...tables.map((table) => `delete from ${schema}.${table};`),
    `update ${schema}.search_progress set event_id = 0;`,
    // A bus of its own: queues at the broker are named after it.
    `update ${schema}.bus set bus_id = replace(gen_random_uuid()::text, '-', '');`,
    ...sequences.map((sequence) => `select setval('${schema}.${sequence}', 1, false);`),
  ];
  await administrator().unsafe(statements.join(" ")).simple();
}
