/** [G5] `inbox migrate`: a whole bus from one place to another. */
import { prunedEvents } from "../bus/retention/events.ts";
import { forgetAllWords } from "../bus/search.ts";
import { InboxError } from "../contract/errors.ts";
import type { OutputOf, ParsedOf } from "../contract/operations/index.ts";
import { call, field, option, phrase, type Reference } from "../contract/phrase.ts";
import { withoutPassword } from "../contract/secret.ts";
import { bring, digest, type Put, prune, rowText } from "../engines/copy.ts";
import type { Engine } from "../engines/engine.ts";
import { engineAt, openEngine } from "../engines/registry.ts";
import { tables } from "../engines/tables.ts";
import { type Asked, isHub, placeNamed } from "../location/locate.ts";
import { type Context, one, type Procedure, type Row, run } from "../sql/procedure.ts";
import { Sql, sql } from "../sql/sql.ts";
import { columnsOf, type Table } from "../sql/table.ts";
import { events } from "../sql/tables.ts";
import { createOwnBus } from "./create-bus.ts";

interface Side {
  /** As people may see it. */
  name: string;
  location: string;
  engine: Engine;
}

export async function busMigrate(
  { db, cwd }: Asked,
  input: ParsedOf<"bus.migrate">,
): Promise<OutputOf<"bus.migrate">> {
  if (db !== undefined)
    throw new InboxError(
      "invalid_input",
      phrase`${call("bus.migrate")} copies between two databases and does not take ${option("db")}`,
      {
        hint: phrase`give the source with ${field("from")} and the target with ${field("to")}`,
      },
    );
  const [from, to] = [database(input.from, field("from"), cwd), database(input.to, field("to"), cwd)];
  // The source first: where there is none, nothing is made.
  await using source = await opened(from);
  const busId = await source.engine.read(busOf);
  await createOwnBus(to);
  await using target = await opened(to);
  const places = await Promise.all(
    [source, target].map(({ location, engine }) => engineAt(location).copying().place(location, engine)),
  );
  if (places[0] === places[1])
    throw new InboxError(
      "invalid_input",
      phrase`${field("from")} ${source.name} and ${field("to")} ${target.name} are the same bus`,
      {
        hint: phrase`give another target with ${field("to")}`,
      },
    );
  const put: Put = (work) =>
    target.engine.write(
      function* (tx) {
        if ((yield* busOf(tx)) !== busId) throw otherBus(target);
        return yield* work(tx);
      },
      { repeatable: true },
    );
  await checkCopy(source, target, busId);
  await target.engine.write((tx) => take(tx, target, busId), { repeatable: true });
  return await copy(source, target, put, busId);
}

async function opened(location: string): Promise<Side & AsyncDisposable> {
  const engine = openEngine(location);
  return { name: withoutPassword(location), location, engine, [Symbol.asyncDispose]: engine.close };
}

function database(named: string, flag: Reference, cwd: string): string {
  const location = placeNamed(named, flag, cwd);
  if (isHub(location))
    throw new InboxError(
      "invalid_input",
      phrase`migrate copies databases, and ${flag} ${new URL(location).origin} is a hub`,
      { hint: "name the database that the hub serves: curl HUB/healthz tells which" },
    );
  return location;
}

function* busOf(tx: Context): Procedure<string> {
  return (yield* one<{ bus_id: string }>(sql`select bus_id from bus ${tx.forUpdate}`))!.bus_id;
}

/**
 * A copy that has been used since has events which its source does not have; bringing it up to date would throw them away,
 * with all that they tell of.
 */
async function checkCopy(source: Side, target: Side, busId: string): Promise<void> {
  if ((await target.engine.read(busOf)) !== busId) return;
  const columns = columnsOf(events);
  const newest = await target.engine.read(() =>
    one<Row>(sql`select ${columns} from events order by event_id desc limit 1`),
  );
  if (!newest) return;
  if (Number(newest.event_id) <= (await source.engine.read(prunedEvents)))
    throw new InboxError(
      "conflict",
      `${target.name} is an old copy of ${source.name}: its newest event ${newest.event_id} was deleted there by retention, so nobody can tell whether the copy has been used since; nothing was changed`,
      { hint: "copy to an empty place: a new file, or schema=NAME in the address" },
    );
  const same = await source.engine.read(() =>
    one<Row>(sql`select ${columns} from events where event_id = ${newest.event_id!}`),
  );
  if (same && rowText(events, same) === rowText(events, newest)) return;
  throw new InboxError(
    "conflict",
    `${target.name} is a copy of ${source.name} that has been used since: its event ${newest.event_id} is not in the source; nothing was changed`,
    {
      hint: phrase`if it is the newer one, copy in the other direction; otherwise give an empty target with ${field("to")}`,
    },
  );
}

/** Makes the target this bus, if it is none yet. */
function* take(tx: Context, target: Side, busId: string): Procedure<void> {
  if ((yield* busOf(tx)) === busId) return;
  for (const { name } of tables)
    if (yield* one(new Sql([`select 1 as some from ${name} limit 1`], []))) throw otherBus(target);
  yield* run(sql`update bus set bus_id = ${busId}`);
}

const otherBus = ({ name }: Side) =>
  new InboxError("conflict", `${name} contains another bus; nothing was changed`, {
    hint: phrase`give an empty target with ${field("to")}: a new file, or schema=NAME in the address`,
  });

type Answer = OutputOf<"bus.migrate">;

async function copy(source: Side, target: Side, put: Put, busId: string): Promise<Answer> {
  const [from, to] = [source.engine, target.engine];
  // At once and again at the end: also who uses an unfinished copy must not be given a number twice.
  await raise(source, target, put);
  const deleted = new Map<Table, number>();
  for (const table of tables.toReversed()) deleted.set(table, await prune(from, to, put, table));
  const copied = new Map<Table, number>();
  for (const table of tables) copied.set(table, await bring(from, to, put, table));
  // What can be searched is made from the rest, wherever that came from.
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
async function verify(source: Side, target: Side, busId: string) {
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

async function raise(source: Side, target: Side, put: Put): Promise<void> {
  const given = await source.engine.read(() => engineAt(source.location).copying().numbers());
  await put(() => engineAt(target.location).copying().raise(given));
}
