/** Places where a bus can be moved to, and all that is in them, read past the program. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "./folder.ts";
import { administrator, postgresUrl } from "./postgres.ts";
import { rows } from "./stored.ts";

type Row = Record<string, string | number | null>;

export interface Spot {
  location: string;
  /** Every table but what is about the place itself, and the last numbers given. */
  contents(): Promise<Record<string, Row[]>>;
  count(table: string): Promise<number>;
  run(statement: string): Promise<void>;
  exists(): Promise<boolean>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Rows in one order, whichever the engine would give. */
const sorted = (found: Row[]) => {
  const text = (row: Row) => JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)));
  return found.sort((a, b) => (text(a) < text(b) ? -1 : 1));
};

/** A file that is not there yet, in a folder that is. */
export async function fileSpot(): Promise<Spot> {
  const folder = temporaryFolder();
  const location = join(folder.path, "coord.db");
  return {
    location,
    async contents() {
      const names = rows<{ name: string }>(
        location,
        "select name from sqlite_schema where type = 'table' and name <> 'sqlite_sequence' and name not like 'search%'",
      ).map(({ name }) => name);
      const numbers = rows<Row>(location, "select name, seq as last from sqlite_sequence where seq > 0");
      const tables = names.map((name) => [name, sorted(rows<Row>(location, `select * from ${name}`))]);
      return { ...Object.fromEntries(tables), numbers: sorted(numbers) };
    },
    async count(table) {
      if (!existsSync(location)) return 0;
      const here = rows(location, "select 1 from sqlite_schema where name = ?", table).length > 0;
      return here ? rows<{ n: number }>(location, `select count(*) as n from ${table}`)[0]!.n : 0;
    },
    run: async (statement) => void rows(location, statement),
    exists: async () => existsSync(location),
    [Symbol.asyncDispose]: async () => folder[Symbol.dispose](),
  };
}

const sequences = {
  tasks: "tasks_task_number_seq",
  threads: "threads_thread_id_seq",
  messages: "messages_message_id_seq",
  artifacts: "artifacts_artifact_id_seq",
  tokens: "tokens_token_id_seq",
  entries: "entries_entry_number_seq",
  audit: "audit_audit_id_seq",
  erased_entries: "erased_entries_erased_number_seq",
  events: "event_numbers",
};

/** A schema that is not there yet. */
export async function serverSpot(): Promise<Spot> {
  // Files of tests share a process one after the other: a counter would give a name again.
  const schema = `move_${crypto.randomUUID().slice(0, 13).replace("-", "")}`;
  const admin = administrator();
  const existing = async (table: string) =>
    (await admin`select 1 from pg_tables where schemaname = ${schema} and tablename = ${table}`).length > 0;
  return {
    location: `${postgresUrl}?schema=${schema}&pool=4`,
    // One state of all tables: what a killed process has asked for last the server may commit in between.
    contents: () =>
      admin.begin("isolation level repeatable read", async (tx) => {
        const rowsOf = async (text: string) =>
          sorted(((await tx.unsafe(text)) as unknown as { row: Row }[]).map(({ row }) => row));
        const names = await tx`select tablename as name from pg_tables where schemaname = ${schema}`;
        const all: Record<string, Row[]> = {};
        for (const { name } of names)
          if (name !== "presence" && !name.startsWith("search_"))
            all[name] = await rowsOf(`select row_to_json(t) as row from "${schema}".${name} as t`);
        for (const row of all.bus ?? []) delete row.version;
        const numbers = Object.entries(sequences).map(
          ([name, sequence]) =>
            `select json_build_object('name', '${name}', 'last', last_value) as row from "${schema}".${sequence} where is_called`,
        );
        all.numbers = await rowsOf(numbers.join(" union all "));
        return all;
      }),
    count: async (table) =>
      (await existing(table))
        ? Number((await admin.unsafe(`select count(*) as n from "${schema}".${table}`))[0]!.n)
        : 0,
    run: async (statement) =>
      void (await admin.begin(async (tx) => {
        await tx.unsafe(`set local search_path = "${schema}"`);
        await tx.unsafe(statement);
      })),
    exists: () => existing("bus"),
    [Symbol.asyncDispose]: async () => void (await admin.unsafe(`drop schema if exists "${schema}" cascade`)),
  };
}

export const kinds: Record<string, () => Promise<Spot>> = {
  file: fileSpot,
  ...(postgresUrl ? { postgres: serverSpot } : {}),
};
