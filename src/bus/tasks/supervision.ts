/** [Q7] Which process supervises this bus: one at a time, by a lease. */

import type { Context, Procedure } from "../../sql/procedure.ts";
import { alone, one, run } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { columnsOf, insert, overwriting, type RowOf } from "../../sql/table.ts";
import { supervision } from "../../sql/tables.ts";
import { expiryAfter } from "../expiry.ts";
import { lockTasks, openWork } from "../task-states.ts";

const leaseSeconds = 15;

type SupervisionRow = RowOf<typeof supervision>;
const supervisionColumns = columnsOf(supervision);
const overwritten = overwriting(supervision);

/** Whether the process that holds the lease is known to have ended; then the lease need not lapse first. */
export type HasDied = (process: string) => boolean;

function* current(): Procedure<SupervisionRow | undefined> {
  return yield* one<SupervisionRow>(sql`
    select ${supervisionColumns} from supervision order by supervision.leased_until desc limit 1`);
}

function* stillHeld(tx: Context, held: SupervisionRow | undefined, hasDied: HasDied): Procedure<boolean> {
  if (!held || held.leased_until <= (yield* tx.clock())) return false;
  return held.process === null || !hasDied(held.process);
}

/**
 * Takes or renews the lease; false if another process has it. `process` is null if it is taken for a process that has
 * not started yet.
 */
export function* holdSupervision(
  tx: Context,
  holder: string,
  { url, process, hasDied }: { url: string | null; process: string | null; hasDied: HasDied },
): Procedure<boolean> {
  yield* alone(tx, "supervision");
  const now = yield* tx.clock();
  const held = yield* current();
  if (held?.holder !== holder && (yield* stillHeld(tx, held, hasDied))) return false;
  yield* run(sql`delete from supervision where holder <> ${holder}`);
  const lease = { holder, leased_until: expiryAfter(now, leaseSeconds), hub_url: url, process };
  yield* run(sql`${insert(supervision, lease)} ${overwritten}`);
  return true;
}

/** The address of the hub that supervises this bus, if a hub does and other processes on its machine can reach it. */
export function* hubNow(tx: Context, hasDied: HasDied): Procedure<string | null> {
  const held = yield* current();
  return (yield* stillHeld(tx, held, hasDied)) ? held!.hub_url : null;
}

/** The process that supervises this bus, or its name; undefined if none does. */
export function* supervisorNow(tx: Context, hasDied: HasDied): Procedure<string | undefined> {
  const held = yield* current();
  return (yield* stillHeld(tx, held, hasDied)) ? (held!.process ?? held!.holder) : undefined;
}

/** Gives the lease up: nothing is left to do, or the supervisor stops. */
export function* leaveSupervision(tx: Context, holder: string): Procedure<void> {
  yield* alone(tx, "supervision");
  yield* run(sql`delete from supervision where holder = ${holder}`);
}

/** The same, but only if nothing is left to do; tasks that were released meanwhile are still its own. */
export function* leaveIfIdle(tx: Context, holder: string): Procedure<boolean> {
  yield* lockTasks(tx);
  const work = yield* openWork();
  if (work) return false;
  yield* leaveSupervision(tx, holder);
  return true;
}
