/** [Q7] Who supervises this bus: one at a time, by lease. */

import type { Context, Procedure } from "../../sql/procedure.ts";
import { alone, one, run } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { columnsOf, insert, overwriting, type RowOf } from "../../sql/table.ts";
import { supervision } from "../../sql/tables.ts";
import { expiryAfter } from "../expiry.ts";
import { isReleased, lockTasks } from "../task.ts";

const leaseSeconds = 15;

type SupervisionRow = RowOf<typeof supervision>;
const supervisionColumns = columnsOf(supervision);
const overwritten = overwriting(supervision);

/** Whether the process that holds it is known to have ended: its lease need not be waited for. */
export type HasDied = (process: string) => boolean;

function* current(): Procedure<SupervisionRow | undefined> {
  return yield* one<SupervisionRow>(sql`
    select ${supervisionColumns} from supervision order by supervision.leased_until desc limit 1`);
}

function* stillHeld(tx: Context, held: SupervisionRow | undefined, hasDied: HasDied): Procedure<boolean> {
  if (!held || held.leased_until <= (yield* tx.clock())) return false;
  return held.process === null || !hasDied(held.process);
}

/** Takes or renews the lease; false where another has it. `process` is null where it is taken for one that is yet to start. */
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

/** The address of the hub that supervises this bus, where one does and others on its machine can reach it. */
export function* hubNow(tx: Context): Procedure<string | null> {
  const held = yield* current();
  return held && held.leased_until > (yield* tx.clock()) ? held.hub_url : null;
}

/** The process that supervises this bus, or the name it goes by; undefined where none does. */
export function* supervisorNow(tx: Context, hasDied: HasDied): Procedure<string | undefined> {
  const held = yield* current();
  return (yield* stillHeld(tx, held, hasDied)) ? (held!.process ?? held!.holder) : undefined;
}

/** Lets it go: with nothing left to do, or because it stops. */
export function* leaveSupervision(tx: Context, holder: string): Procedure<void> {
  yield* alone(tx, "supervision");
  yield* run(sql`delete from supervision where holder = ${holder}`);
}

/** The same, but only if nothing is left; what came in between is still its own. */
export function* leaveIfIdle(tx: Context, holder: string): Procedure<boolean> {
  yield* lockTasks(tx);
  const work = yield* openWork();
  if (work) return false;
  yield* leaveSupervision(tx, holder);
  return true;
}

function* openWork(): Procedure<boolean> {
  const work = yield* one(sql`select 1 as here from tasks where ${isReleased} limit 1`);
  return work !== undefined;
}

/** Whether there is something to supervise, and somebody who does. */
export function* supervisionNow(
  tx: Context,
  hasDied: HasDied,
): Procedure<"nothing to do" | "held" | "wanted"> {
  if (!(yield* openWork())) return "nothing to do";
  return (yield* stillHeld(tx, yield* current(), hasDied)) ? "held" : "wanted";
}
