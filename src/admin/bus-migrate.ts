/** [G5] `inbox migrate`: copies a whole bus from one database to another. */
import { prunedEvents } from "../bus/retention/events.ts";
import { InboxError } from "../contract/errors.ts";
import type { OutputOf, ParsedOf } from "../contract/operations/index.ts";
import { blank, call, field, option, phrase, type Reference } from "../contract/phrase.ts";
import { withoutPassword } from "../contract/secret.ts";
import { type Put, rowText } from "../engines/copy.ts";
import { engineAt, openEngine } from "../engines/registry.ts";
import { type Asked, isHub, placeNamed } from "../location/locate.ts";
import { one, type Row } from "../sql/procedure.ts";
import { sql } from "../sql/sql.ts";
import { columnsOf } from "../sql/table.ts";
import { events } from "../sql/tables.ts";
import { busOf, copyBus, type Side, take } from "./copy-bus.ts";
import { createOwnBus } from "./create-bus.ts";

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
  // The source first: if there is none, nothing is created.
  await using source = await opened(from).catch(noSource);
  const busId = await source.engine.read(busOf).catch(noSource);
  const { created } = await createOwnBus(to).catch((error) => wrongFile(error, "to"));
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
  if (!(await target.engine.write((tx) => take(tx, busId), { repeatable: true }))) throw otherBus(target);
  const { from: copiedFrom, to: copiedTo, ...rest } = await copyBus(source, target, put, busId);
  return { from: copiedFrom, to: copiedTo, ...(created && { created }), ...rest };
}

/** A source that does not exist was misnamed: creating it would not help. */
function noSource(error: unknown): never {
  if (error instanceof InboxError && error.details?.notOurs) wrongFile(error, "from");
  if (!(error instanceof InboxError) || error.code !== "not_initialized") throw error;
  throw new InboxError(error.code, error.said.message, {
    hint: phrase`give the database to copy from: ${field("from", blank("PATH"))}`,
    cause: error,
  });
}

/** Neither database is the one that other commands use. */
function wrongFile(error: unknown, side: "from" | "to"): never {
  if (!(error instanceof InboxError) || !error.details?.notOurs) throw error;
  throw new InboxError(error.code, error.said.message, {
    hint:
      side === "from"
        ? phrase`give the database to copy from: ${field("from", blank("PATH"))}`
        : phrase`give a new or empty database to copy to: ${field("to", blank("PATH"))}`,
    cause: error,
  });
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
      phrase`migrate copies databases, but ${flag} ${new URL(location).origin} is a hub`,
      {
        hint: phrase`name the database that the hub serves; ${call("bus.status")} on its machine shows which`,
      },
    );
  return location;
}

/**
 * A copy that has been used since has events that its source does not have; updating it would delete them, and what
 * they are about.
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

const otherBus = ({ name }: Side) =>
  new InboxError("conflict", `${name} contains another bus; nothing was changed`, {
    hint: phrase`give an empty target with ${field("to")}: a new file, or schema=NAME in the address`,
  });
