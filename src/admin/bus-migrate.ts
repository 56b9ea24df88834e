/** [G5] `inbox migrate`: a whole bus from one place to another. */
import { InboxError } from "../contract/errors.ts";
import type { OutputOf, ParsedOf } from "../contract/operations/index.ts";
import { withoutPassword } from "../contract/secret.ts";
import { type Put, rowText } from "../engines/copy.ts";
import { copyingOf, openEngine } from "../engines/registry.ts";
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
    throw new InboxError("invalid_input", "migrate has two databases and takes no --db", {
      hint: "name the source with --from and the target with --to",
    });
  const [from, to] = [database(input.from, "--from", cwd), database(input.to, "--to", cwd)];
  // The source first: where there is none, nothing is made.
  await using source = await opened(from);
  const busId = await source.engine.read(busOf);
  await createOwnBus(to);
  await using target = await opened(to);
  const places = await Promise.all(
    [source, target].map(({ location, engine }) => copyingOf(location).place(location, engine)),
  );
  if (places[0] === places[1])
    throw new InboxError("invalid_input", `--from ${source.name} and --to ${target.name} are the same bus`, {
      hint: "name another place with --to",
    });
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
  return await copyBus(source, target, put, busId);
}

async function opened(location: string): Promise<Side & AsyncDisposable> {
  const engine = openEngine(location);
  return { name: withoutPassword(location), location, engine, [Symbol.asyncDispose]: engine.close };
}

function database(named: string, flag: string, cwd: string): string {
  const location = placeNamed(named, flag, cwd);
  if (isHub(location))
    throw new InboxError(
      "invalid_input",
      `migrate copies databases, and ${flag} ${new URL(location).origin} is a hub`,
      { hint: "name the database that the hub serves: curl HUB/healthz tells which" },
    );
  return location;
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
  const same = await source.engine.read(() =>
    one<Row>(sql`select ${columns} from events where event_id = ${newest.event_id!}`),
  );
  if (same && rowText(events, same) === rowText(events, newest)) return;
  throw new InboxError(
    "conflict",
    `${target.name} is a copy of ${source.name} that has been used since: its event ${newest.event_id} is not in the source; nothing was changed`,
    { hint: "it may be the newer one: then copy the other way round; else name an empty place with --to" },
  );
}

const otherBus = ({ name }: Side) =>
  new InboxError("conflict", `${name} holds another bus; nothing of it was changed`, {
    hint: "name an empty place with --to: a new file, or schema=NAME in the address",
  });
