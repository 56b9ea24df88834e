/** The declared tables are those that the engines make: a column that is missing there would be lost on the way ([G5]). */
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { copying } from "../../src/engines/postgres/copying.ts";
import { openEngine } from "../../src/engines/registry.ts";
import { createDatabase } from "../../src/engines/sqlite/connect.ts";
import { tables as copied } from "../../src/engines/tables.ts";
import { type Column, columnsOf, initialOf, insert, part, type Table } from "../../src/sql/table.ts";
import * as declarations from "../../src/sql/tables.ts";
import { fileSpot } from "../support/places.ts";
import { administrator, postgresUrl, temporarySchema } from "../support/postgres.ts";

/** A table as both engines can tell of it; columns as `text not null`, with what they refer to. */
interface Shape {
  columns: Record<string, string>;
  generated: Record<string, string>;
  key: string[];
  refers: string[];
}
/** By table and column, as the schema writes them. */
type Defaults = Record<string, Record<string, string | null>>;

const shown = (type: string, nullable: boolean) => (nullable ? type : `${type} not null`);
const columnShapes = (columns: Readonly<Record<string, Column>>) =>
  Object.fromEntries(
    Object.entries(columns).map(([name, { type, facts }]) => [name, shown(type, facts.nullable ?? false)]),
  );
const declared: readonly Table[] = Object.values(declarations);
const shapes: Record<string, Shape> = Object.fromEntries(
  declared.map(({ name, names, columns, generated, key }) => [
    name,
    {
      columns: columnShapes(columns),
      generated: columnShapes(generated),
      key: [...key],
      refers: names
        .flatMap((column) => {
          const { parent } = columns[column]!.facts;
          return parent ? [`${column} ${parent.name}`] : [];
        })
        .sort(),
    },
  ]),
);
const numbered = declared
  .filter(({ columns }) => Object.values(columns).some(({ facts }) => facts.numbered))
  .map(({ name }) => name)
  .sort();

/** A schema may have more of them: a migration needs one to add a column that no insert leaves out. */
function expectDefaults(found: Defaults): void {
  for (const { name, columns } of declared)
    for (const [column, { facts }] of Object.entries(columns))
      if (facts.initial !== undefined && facts.initial !== null)
        expect([name, column, found[name]?.[column]?.split("::")[0]]).toEqual([
          name,
          column,
          typeof facts.initial === "string" ? `'${facts.initial}'` : String(facts.initial),
        ]);
      else if (facts.initial === null)
        expect([name, column, found[name]?.[column]]).toEqual([name, column, null]);
}

test("[G5] SQLite's schema is the declared tables: columns, types, nullability, keys, references, defaults", async () => {
  await using spot = await fileSpot();
  createDatabase(spot.location);
  const db = new Database(spot.location);
  const ask = <T>(query: string, ...values: string[]) => db.query(query).all(...values) as T[];
  const found: Record<string, Shape> = {};
  const defaults: Defaults = {};
  for (const { name } of ask<{ name: string }>(
    "select name from sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\' and name not like 'search\\_%' escape '\\'",
  )) {
    type Info = {
      name: string;
      type: string;
      notnull: number;
      pk: number;
      hidden: number;
      dflt_value: string | null;
    };
    const columns = ask<Info>("select * from pragma_table_xinfo(?)", name);
    const refers = ask<{ text: string }>(
      `select "from" || ' ' || "table" as text from pragma_foreign_key_list(?)`,
      name,
    );
    const shapeOf = (wanted: Info[]) =>
      // A key is never null, whether its table says so or not.
      Object.fromEntries(
        wanted.map((column) => [
          column.name,
          shown(column.type.split(" ")[0]!.toLowerCase(), !column.notnull && !column.pk),
        ]),
      );
    found[name] = {
      columns: shapeOf(columns.filter(({ hidden }) => !hidden)),
      generated: shapeOf(columns.filter(({ hidden }) => hidden)),
      key: columns
        .filter(({ pk }) => pk)
        .sort((a, b) => a.pk - b.pk)
        .map((column) => column.name),
      refers: refers.map(({ text }) => text).sort(),
    };
    defaults[name] = Object.fromEntries(columns.map((column) => [column.name, column.dflt_value]));
  }
  const { bus, ...rest } = found;
  expect(bus?.columns).toEqual({ bus_id: "text not null" });
  expect(rest).toEqual(shapes);
  expectDefaults(defaults);
  const counting = ask<{ name: string }>("select name from sqlite_schema where sql like '%autoincrement%'");
  expect(counting.map(({ name }) => name).sort()).toEqual(numbered);
  db.close();
});

test.skipIf(!postgresUrl)(
  "[G5] Postgres' schema is the declared tables: columns, types, nullability, keys, references, defaults, sequences",
  async () => {
    using place = await temporarySchema();
    const { schema } = place;
    const admin = administrator();
    const found: Record<string, Shape> = {};
    const defaults: Defaults = {};
    for (const row of await admin`
      select table_name as name, column_name as column, data_type as type, is_nullable = 'YES' as nullable,
        is_generated <> 'NEVER' as generated, column_default as default
      from information_schema.columns where table_schema = ${schema}`) {
      found[row.name] ??= { columns: {}, generated: {}, key: [], refers: [] };
      const type = row.type === "bigint" ? "integer" : row.type;
      found[row.name]![row.generated ? "generated" : "columns"][row.column] = shown(type, row.nullable);
      defaults[row.name] ??= {};
      defaults[row.name]![row.column] = row.default;
    }
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
    const { bus, presence, search_words, search_progress, ...rest } = found;
    expect([search_words?.key, Object.keys(search_progress!.columns).sort()]).toEqual([
      ["kind", "ref"],
      ["event_id", "kind", "ref"],
    ]);
    expect(Object.keys(bus!.columns).sort()).toEqual(["bus_id", "version"]);
    expect(presence?.key).toEqual(["process"]);
    expect(rest).toEqual(shapes);
    expectDefaults(defaults);
    const engine = openEngine(place.url);
    const numbers = await engine.read(() => copying.numbers());
    await engine.close();
    expect(Object.keys(numbers).sort()).toEqual(numbered);
    const sequences = await admin`select 1 from pg_sequences where schemaname = ${schema}`;
    expect(sequences.length).toBe(numbered.length);
  },
);

test("[G5] every declared table is copied except those of running processes, and referenced tables come first", () => {
  const { supervision, givenUpCalls, ...lasting } = declarations;
  expect(copied.map(({ name }) => name).sort()).toEqual(
    Object.values<Table>(lasting)
      .map(({ name }) => name)
      .sort(),
  );
  for (const [i, { columns }] of copied.entries())
    for (const { facts } of Object.values(columns))
      if (facts.parent) expect(copied.slice(0, i)).toContain(facts.parent);
  expect(copied.at(-1)).toBe(declarations.events);
});

const { pools, outbox, messages, tasks } = declarations;
const textOf = (made: { flatten(placeholder: (i: number) => string): object }) =>
  made.flatten((i) => `$${i}`);

test("[G5] statements made from a declaration name its columns, each in the order of the table", () => {
  expect(textOf(insert(outbox, { agent_id: "a", message_id: 7 }))).toEqual({
    text: "insert into outbox (message_id, agent_id) values ($1, $2)",
    values: [7, "a"],
  });
  const brief = part(tasks, "name", "prompt", "cwd");
  expect(textOf(columnsOf(brief))).toEqual({ text: "tasks.name, tasks.prompt, tasks.cwd", values: [] });
  expect(initialOf(messages)).toMatchObject({ acked_at: null, manual: 0 });
  expect(Object.keys(initialOf(messages))).not.toContain("message_id");
});

test("[G5] an insert without a column that has no default, with one of a wrong type, or with an unknown one, does not compile", () => {
  // @ts-expect-error created_at is missing
  expect(() => insert(pools, { pool: "p" })).not.toThrow();
  // @ts-expect-error a number is no text
  expect(() => insert(pools, { pool: "p", created_at: 1 })).not.toThrow();
  const more = { pool: "p", created_at: "now", colour: "red" };
  // @ts-expect-error there is no column colour
  expect(() => insert(pools, more)).toThrow("no column of pools: colour");
  // @ts-expect-error undefined is no value: it would be a row's null, or a default, by accident
  expect(() => insert(pools, { pool: "p", created_at: undefined })).toThrow("undefined bound");
});
