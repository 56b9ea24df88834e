/**
 * Makes a table of one bus the same as that of another, as rsync does with files: page by page, in the order of the
 * key, writing only what differs. So it can be stopped at any moment and run again, and the source may have changed
 * since. Every page is a separate transaction on both sides, so a big bus blocks nobody.
 */
import { all, type Procedure, type Row, run } from "../sql/procedure.ts";
import { joined, literal, nothing, Sql, type SqlValue, sql } from "../sql/sql.ts";
import { overwriting, type Table } from "../sql/table.ts";
import { leases } from "../sql/tables.ts";
import type { Engine, Work } from "./engine.ts";

const pageRows = 1000;
const pageBytes = 4 * 1024 * 1024;
/** Rows per statement. Always this number, or one: every other number would be another statement to prepare and keep. */
const batchRows = 100;

type Key = SqlValue[];
/** The source, which is only read: an engine, or a snapshot of it. */
export type Readable = Pick<Engine, "read">;
/** Writes to the target in one transaction, if it has not been used by others since. */
export type Put = <T>(work: Work<T>) => Promise<T>;

const word = (text: string) => new Sql([text], []);
const list = (names: readonly string[]) => word(names.join(", "));
const keyOf = ({ key }: Table, row: Row): Key => key.map((column) => row[column]!);
/** The same text for the same row on every engine. */
export const rowText = ({ names }: Table, row: Row) => JSON.stringify(names.map((name) => row[name]));

/** Keys after one and up to another. Both engines compare text byte by byte. */
function within({ key }: Table, after?: Key, last?: Key): Sql {
  const columns = list(key);
  const bounds = [
    ...(after ? [sql`(${columns}) > (${joined(after)})`] : []),
    ...(last ? [sql`(${columns}) <= (${joined(last)})`] : []),
  ];
  return bounds.length ? sql`where ${joined(bounds, " and ")}` : nothing;
}

const rowsOf = (table: Table, after?: Key, last?: Key): Sql => sql`
  select ${list(table.names)} from ${word(table.name)} ${within(table, after, last)} order by ${list(table.key)}`;

const keysOf = (table: Table, after?: Key, last?: Key): Sql => sql`
  select ${list(table.key)} from ${word(table.name)} ${within(table, after, last)} order by ${list(table.key)}
  limit ${literal(pageRows)}`;

/**
 * As many rows as fit; at least one, if there is any. Their sizes are read first, without the rows. `end`: there were
 * no more rows. Asking again instead would never reach the end of a table that is being written to.
 */
function* page(table: Table, after?: Key): Procedure<{ rows: Row[]; end: boolean }> {
  const size = table.names.map((name) => `coalesce(octet_length(cast(${name} as text)), 0)`).join(" + ");
  const sizes = yield* all<Row & { bytes: number }>(sql`
    select ${list(table.key)}, ${word(size)} as bytes from ${word(table.name)} ${within(table, after)}
    order by ${list(table.key)} limit ${literal(pageRows)}`);
  let bytes = 0;
  const over = sizes.findIndex((row) => {
    bytes += row.bytes;
    return bytes > pageBytes;
  });
  const last = sizes.at(over < 0 ? -1 : Math.max(0, over - 1));
  const rows = last ? yield* all<Row>(rowsOf(table, after, keyOf(table, last))) : [];
  return { rows, end: rows.length < pageRows && rows.length === sizes.length };
}

export async function* pages(engine: Readable, table: Table): AsyncGenerator<{ after?: Key; rows: Row[] }> {
  let after: Key | undefined;
  for (;;) {
    const { rows, end } = await engine.read(() => page(table, after));
    if (rows.length) yield { after, rows };
    if (end) return;
    after = keyOf(table, rows.at(-1)!);
  }
}

/** Deletes rows that the source does not have, and returns how many. */
export async function prune(source: Readable, target: Engine, put: Put, table: Table): Promise<number> {
  let deleted = 0;
  let after: Key | undefined;
  for (;;) {
    let ours = await target.read(() => all<Row>(keysOf(table, after)));
    if (!ours.length) return deleted;
    let last = keyOf(table, ours.at(-1)!);
    const theirs = await source.read(() => all<Row>(keysOf(table, after, last)));
    if (theirs.length === pageRows) {
      // There may be more rows up to there: compare only as far as is known.
      last = keyOf(table, theirs.at(-1)!);
      ours = await target.read(() => all<Row>(keysOf(table, after, last)));
    }
    const kept = new Set(theirs.map((row) => JSON.stringify(keyOf(table, row))));
    const extra = ours.map((row) => keyOf(table, row)).filter((key) => !kept.has(JSON.stringify(key)));
    if (extra.length) await put(() => remove(table, extra));
    deleted += extra.length;
    after = last;
  }
}

function* remove(table: Table, keys: readonly Key[]): Procedure<void> {
  for (const key of keys)
    yield* run(sql`delete from ${word(table.name)} where (${list(table.key)}) = (${joined(key)})`);
}

/** Writes rows that the target does not have or has with other values, and returns how many. */
export async function bring(source: Readable, target: Engine, put: Put, table: Table): Promise<number> {
  let copied = 0;
  for await (const { after, rows } of pages(source, table)) {
    const last = keyOf(table, rows.at(-1)!);
    const there = await target.read(() => all<Row>(rowsOf(table, after, last)));
    const same = new Set(there.map((row) => rowText(table, row)));
    const missing = rows.filter((row) => !same.has(rowText(table, row)));
    if (missing.length) copied += await put(() => write(table, missing));
  }
  return copied;
}

function* write(table: Table, rows: readonly Row[]): Procedure<number> {
  const wanted = yield* withParents(table, rows);
  if (table === leases) yield* freeTokens(wanted);
  const full = wanted.length - (wanted.length % batchRows);
  for (let at = 0; at < full; at += batchRows) yield* run(upsert(table, wanted.slice(at, at + batchRows)));
  for (const row of wanted.slice(full)) yield* run(upsert(table, [row]));
  return wanted.length;
}

/**
 * A token is held once, but by another thread than at the last copy if its call was released and repeated. The row of that thread
 * is not the same any more, and comes later; if it came before, the source has changed, and the comparison says so.
 */
function* freeTokens(rows: readonly Row[]): Procedure<void> {
  for (const { thread_id, agent_id, lease_token, released_at } of rows)
    if (released_at === null)
      yield* run(sql`delete from leases where agent_id = ${agent_id!} and lease_token = ${lease_token!} and released_at is null
        and thread_id <> ${thread_id!}`);
}

function upsert(table: Table, rows: readonly Row[]): Sql {
  const values = rows.map((row) => sql`(${joined(table.names.map((column) => row[column]!))})`);
  return sql`insert into ${word(table.name)} (${list(table.names)}) values ${joined(values)} ${overwriting(table)}`;
}

/**
 * In a source that is in use, a row may refer to one that did not exist yet when its table was copied. It is left for
 * the next run, so that a bus can be copied while it is in use, and stopped only for the rest.
 */
function* withParents(table: Table, rows: readonly Row[]): Procedure<readonly Row[]> {
  let kept = rows;
  for (const column of table.names) {
    const { parent } = table.columns[column]!.facts;
    if (!parent) continue;
    const key = word(parent.key[0]!);
    const named = [...new Set(kept.map((row) => row[column]!))].filter((id) => id !== null);
    if (!named.length) continue;
    // Filled up, so that it is always the same statement.
    const filled = Array.from({ length: pageRows }, (_, i) => named[i] ?? named[0]!);
    const found = yield* all<{ id: number }>(
      sql`select ${key} as id from ${word(parent.name)} where ${key} in (${joined(filled)})`,
    );
    const there = new Set<SqlValue>(found.map(({ id }) => id)).add(null);
    kept = kept.filter((row) => there.has(row[column]!));
  }
  return kept;
}

/** How many rows a table has, and a checksum of all of them. */
export async function digest(engine: Readable, table: Table): Promise<{ rows: number; checksum: string }> {
  const hasher = new Bun.CryptoHasher("sha256");
  let count = 0;
  for await (const { rows } of pages(engine, table)) {
    count += rows.length;
    for (const row of rows) hasher.update(`${rowText(table, row)}\n`);
  }
  return { rows: count, checksum: hasher.digest("hex") };
}
