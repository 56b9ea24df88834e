/** The list of tables is what the engines have: a column that it lacks would be lost on the way ([G5]). */
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { copying } from "../../src/engines/postgres/copying.ts";
import { openEngine } from "../../src/engines/registry.ts";
import { createDatabase } from "../../src/engines/sqlite/connect.ts";
import { tables } from "../../src/engines/tables.ts";
import { fileSpot } from "../support/places.ts";
import { administrator, postgresUrl, temporarySchema } from "../support/postgres.ts";

interface Shape {
  columns: string[];
  key: string[];
  refers: string[];
}

const listed: Record<string, Shape> = Object.fromEntries(
  tables.map(({ name, columns, key, refers }) => [
    name,
    { columns: [...columns].sort(), key: [...key], refers: refers.map((pair) => pair.join(" ")).sort() },
  ]),
);
const numbered = tables.filter((table) => table.numbered).map(({ name }) => name);

test("[G5] every table and column of SQLite is in the list, with its key and what it refers to", async () => {
  await using spot = await fileSpot();
  createDatabase(spot.location);
  const db = new Database(spot.location);
  const ask = <T>(query: string, ...values: string[]) => db.query(query).all(...values) as T[];
  const found: Record<string, Shape> = {};
  for (const { name } of ask<{ name: string }>(
    "select name from sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\' and name not like 'search\\_%' escape '\\'",
  )) {
    type Column = { name: string; pk: number; hidden: number };
    const columns = ask<Column>("select name, pk, hidden from pragma_table_xinfo(?)", name);
    const refers = ask<{ text: string }>(
      `select "from" || ' ' || "table" as text from pragma_foreign_key_list(?)`,
      name,
    );
    found[name] = {
      columns: columns
        .filter(({ hidden }) => !hidden)
        .map((column) => column.name)
        .sort(),
      key: columns
        .filter(({ pk }) => pk)
        .sort((a, b) => a.pk - b.pk)
        .map((column) => column.name),
      refers: refers.map(({ text }) => text).sort(),
    };
  }
  const { bus, supervision, given_up_calls, ...rest } = found;
  expect(given_up_calls?.key).toEqual(["call_id"]);
  expect(supervision?.key).toEqual(["holder"]);
  expect(bus?.columns).toEqual(["bus_id"]);
  expect(rest).toEqual(listed);
  const counting = ask<{ name: string }>("select name from sqlite_schema where sql like '%autoincrement%'");
  expect(counting.map(({ name }) => name).sort()).toEqual([...numbered].sort());
  db.close();
});

test.skipIf(!postgresUrl)("[G5] every table, column and sequence of Postgres is in the list", async () => {
  using place = await temporarySchema();
  const { schema } = place;
  const admin = administrator();
  const found: Record<string, Shape> = {};
  for (const row of await admin`
    select table_name as name, array_agg(column_name::text) as columns from information_schema.columns
    where table_schema = ${schema} and is_generated = 'NEVER' group by table_name`)
    found[row.name] = { columns: row.columns.sort(), key: [], refers: [] };
  for (const row of await admin`
    select conrelid::regclass::text as name, contype as kind, confrelid::regclass::text as target,
      (select array_agg(attname::text order by place) from unnest(conkey) with ordinality as k(number, place)
        join pg_attribute on attrelid = conrelid and attnum = number) as columns
    from pg_constraint where connamespace = ${schema}::regnamespace and contype in ('p', 'f')`) {
    const [name, target] = [row.name, row.target].map((text: string) => text.split(".").at(-1)!);
    if (row.kind === "p") found[name!]!.key = row.columns;
    else found[name!]!.refers.push(`${row.columns.join(" ")} ${target}`);
  }
  for (const shape of Object.values(found)) shape.refers.sort();
  const { bus, presence, supervision, given_up_calls, search_words, search_progress, ...rest } = found;
  expect(supervision?.key).toEqual(["holder"]);
  expect([search_words?.key, search_progress?.columns]).toEqual([["kind", "ref"], ["event_id"]]);
  expect(bus?.columns).toEqual(["bus_id", "version"]);
  expect(presence?.key).toEqual(["process"]);
  expect(given_up_calls?.key).toEqual(["call_id"]);
  expect(rest).toEqual(listed);
  const engine = openEngine(place.url);
  const numbers = await engine.read(() => copying.numbers());
  await engine.close();
  expect(Object.keys(numbers).sort()).toEqual([...numbered].sort());
  const sequences = await admin`select 1 from pg_sequences where schemaname = ${schema}`;
  expect(sequences.length).toBe(numbered.length);
});
