/** A bus of a test's own on the tests' Postgres: a schema, used again by the next test, since making one takes longer than most tests. */
import { join } from "node:path";
import postgres from "postgres";
import { createPostgres } from "../../src/engines/postgres/connect.ts";
import { tables as copied } from "../../src/engines/tables.ts";
import { bareEnvironment, root } from "./cli.ts";
import { postgresPrograms } from "./servers.ts";

export const postgresUrl = process.env.TEST_POSTGRES || undefined;

/** What refers to others first; then what is true of processes only, or made from the rest. */
const tables = [
  ...copied.map(({ name }) => name).reverse(),
  "supervision",
  "given_up_calls",
  "presence",
  "search_words",
];
const sequences =
  "threads_thread_id_seq, messages_message_id_seq, artifacts_artifact_id_seq, event_numbers, tokens_token_id_seq, entries_entry_number_seq, erased_entries_erased_number_seq, tasks_task_number_seq, audit_audit_id_seq".split(
    ", ",
  );

const free: string[] = [];
/** Those of files that ran in this process before; undefined until they are looked for. */
let left: Promise<string[]> | undefined;
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
export async function temporarySchema({ leastPrivilege = false } = {}): Promise<Place> {
  const schema = free.pop() ?? (await create());
  await empty(schema);
  const server = leastPrivilege ? await restricted(schema) : postgresUrl;
  const url = `${server}?schema=${schema}&pool=4`;
  return { url, schema, [Symbol.dispose]: () => void free.push(schema) };
}

const roles = { owner: "restante_owner", app: "restante_app" };
const granted = new Set<string>();

/** The address for the role that may read and write rows and nothing else, as deploy/ makes it. */
async function restricted(schema: string): Promise<string> {
  if (!granted.has(schema)) {
    await grant(schema);
    granted.add(schema);
  }
  return addressFor(roles.app);
}

export function addressFor(role: string): string {
  const url = new URL(postgresUrl!);
  url.username = role;
  return url.href;
}

/** Runs the script that deploy/README.md tells of. */
export async function grant(schema: string): Promise<void> {
  const words = Object.entries({ schema, ...roles, ON_ERROR_STOP: "1" }).flatMap(([name, value]) => [
    "-v",
    `${name}=${value}`,
  ]);
  const script = join(root, "deploy/postgres-roles.sql");
  const child = Bun.spawn(
    [join(postgresPrograms()!, "psql"), "-qX", ...words, "-d", postgresUrl!, "-f", script],
    {
      env: bareEnvironment(),
      stdout: "ignore",
      stderr: "pipe",
    },
  );
  if ((await child.exited) !== 0) throw new Error(`psql: ${await new Response(child.stderr).text()}`);
}

/** Some functions look into their schema by its name. */
const renamed = (old: string, schema: string) => `
  alter schema ${old} rename to ${schema};
  do $$ declare one record; begin
    for one in select oid::regprocedure as name from pg_proc
      where pronamespace = '${schema}'::regnamespace and proconfig is not null
    loop execute format('alter function %s set search_path = ${schema}', one.name); end loop;
  end $$;`;

/**
 * One that an earlier file has made gets a new name, which takes less than making one. A wait that a test of that file has left
 * open knows only the old name, and takes nobody's mail.
 */
async function create(): Promise<string> {
  const mine = `test_${process.pid}_`;
  const schema = `${mine}${crypto.randomUUID().slice(0, 8)}`;
  const sql = administrator();
  left ??= sql<
    { name: string }[]
  >`select nspname as name from pg_namespace where starts_with(nspname, ${mine})`.then((found) =>
    found.map(({ name }) => name),
  );
  const old = (await left).pop();
  if (old === undefined) await createPostgres(`${postgresUrl}?schema=${schema}`);
  else await sql.unsafe(renamed(old, schema)).simple();
  return schema;
}

async function empty(schema: string): Promise<void> {
  const statements = [
    ...tables.map((table) => `delete from ${schema}.${table};`),
    `update ${schema}.search_progress set event_id = 0, kind = 0, ref = 0;`,
    // A bus of its own: queues at the broker are named after it.
    `update ${schema}.bus set bus_id = replace(gen_random_uuid()::text, '-', '');`,
    ...sequences.map((sequence) => `select setval('${schema}.${sequence}', 1, false);`),
  ];
  await administrator().unsafe(statements.join(" ")).simple();
}
