/** [G5] Makes one bus the same as another, on any engines, and compares them completely. */
import { forgetAllWords } from "../bus/search.ts";
import { InboxError } from "../contract/errors.ts";
import type { OutputOf } from "../contract/operations/index.ts";
import { bring, digest, type Put, prune, type Readable } from "../engines/copy.ts";
import type { Engine } from "../engines/engine.ts";
import { engineAt } from "../engines/registry.ts";
import { tables } from "../engines/tables.ts";
import { type Context, one, type Procedure, run } from "../sql/procedure.ts";
import { Sql, sql } from "../sql/sql.ts";
import type { Table } from "../sql/table.ts";

/** A bus to be read: its engine, or one state of it. */
export interface Source {
  /** As people may see it. */
  name: string;
  location: string;
  engine: Readable;
}

export interface Side extends Source {
  engine: Engine;
}

export function* busOf(tx: Context): Procedure<string> {
  return (yield* one<{ bus_id: string }>(sql`select bus_id from bus ${tx.forUpdate}`))!.bus_id;
}

/** Whether nothing was ever written to it, as `init` leaves it. */
export function* isEmpty(): Procedure<boolean> {
  for (const { name } of tables)
    if (yield* one(new Sql([`select 1 as some from ${name} limit 1`], []))) return false;
  return true;
}

/** Makes the target this bus, if it is not a bus yet; false if it contains another. */
export function* take(tx: Context, busId: string): Procedure<boolean> {
  if ((yield* busOf(tx)) === busId) return true;
  if (!(yield* isEmpty())) return false;
  yield* run(sql`update bus set bus_id = ${busId}`);
  return true;
}

type Answer = OutputOf<"bus.migrate">;

export async function copyBus(source: Source, target: Side, put: Put, busId: string): Promise<Answer> {
  const [from, to] = [source.engine, target.engine];
  // At once and again at the end: an unfinished copy that is used must not give a number twice either.
  await raise(source, target, put);
  const deleted = new Map<Table, number>();
  for (const table of tables.toReversed()) deleted.set(table, await prune(from, to, put, table));
  const copied = new Map<Table, number>();
  for (const table of tables) copied.set(table, await bring(from, to, put, table));
  // The search words are made from the rest.
  await put(forgetAllWords);
  const { rows, checksum } = await verify(source, target, busId);
  await raise(source, target, put);
  const counted = tables.map((table) => ({
    name: table.name,
    rows: rows.get(table)!,
    copied: copied.get(table)!,
    deleted: deleted.get(table)!,
  }));
  const sum = (field: "rows" | "copied" | "deleted") =>
    counted.reduce((total, table) => total + table[field], 0);
  return {
    from: source.name,
    to: target.name,
    busId,
    tables: counted,
    rows: sum("rows"),
    copied: sum("copied"),
    deleted: sum("deleted"),
    checksum,
  };
}

/** Reads both again from beginning to end. */
async function verify(source: Source, target: Side, busId: string) {
  const rows = new Map<Table, number>();
  const hasher = new Bun.CryptoHasher("sha256").update(busId);
  const different: string[] = [];
  for (const table of tables) {
    const [there, here] = await Promise.all([digest(source.engine, table), digest(target.engine, table)]);
    if (there.checksum !== here.checksum)
      different.push(`${table.name} (${there.rows} rows there, ${here.rows} here)`);
    rows.set(table, here.rows);
    hasher.update(here.checksum);
  }
  if (different.length)
    throw new InboxError(
      "busy",
      `${target.name} is not yet the same as ${source.name}: different are ${different.join(", ")}, so one of them was written to while it was copied`,
      { hint: "stop whatever writes to either and run it again: it copies only what is missing" },
    );
  return { rows, checksum: hasher.digest("hex") };
}

async function raise(source: Source, target: Side, put: Put): Promise<void> {
  const given = await source.engine.read(() => engineAt(source.location).copying().numbers());
  await put(() => engineAt(target.location).copying().raise(given));
}
