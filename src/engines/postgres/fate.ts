/**
 * Finds out whether a transaction was committed whose commit was not answered: the server knows the status of a
 * transaction id. An id that had not reached the disk when the server crashed, or the standby when that was promoted, is
 * given to another transaction: then the status "committed" proves nothing. A crash and a promotion both empty unlogged
 * tables, and so delete the id of this life of the server, which is stored in one.
 */

import { sleep } from "../../platform/runtime.ts";
import type { Session } from "./connection.ts";
import type { Pool } from "./pool.ts";

/** Longer than the server keeps an idle transaction or runs a statement (connection.ts): by then the transaction of a half-open connection has ended. */
const fateWaitMs = 13_000;
const pauseMs = 100;
const sessionPauseMs = 5;

export interface Trace {
  xid?: string;
  /** It differs after a crash or a promotion. */
  life?: string;
}

/** Stored in the unlogged table of presence, which a crash empties, as a row that does not expire. */
export const lifeIn = (schema: string) => `select agents[1] from "${schema}".presence where process = 'life'`;

export async function fateOf(
  { xid, life }: Trace,
  pool: Pool,
  schema: string,
): Promise<"committed" | "aborted" | "unknown"> {
  if (xid === undefined || life === undefined) return "unknown";
  const deadline = performance.now() + fateWaitMs;
  while (performance.now() < deadline) {
    try {
      const rows = await pool.use((connection) =>
        connection.run(
          `select (${lifeIn(schema)}) as life,
             case when $1::text::xid8 < pg_snapshot_xmax(pg_current_snapshot()) then pg_xact_status($1::text::xid8) end as status`,
          [xid],
        ),
      );
      const { status, life: now } = rows[0]!;
      if (now !== life) return status === "committed" ? "unknown" : "aborted";
      if (status === "committed" || status === "aborted") return status;
    } catch {
      // The server is not reachable yet.
    }
    await sleep(pauseMs);
  }
  return "unknown";
}

/**
 * Ends a session on the server whose connection was lost: what was sent to it may arrive even later. True once it has
 * ended, also with the server. Then nothing more is done by it.
 */
export async function endSession({ pid, since }: Session, pool: Pool): Promise<boolean> {
  const deadline = performance.now() + fateWaitMs;
  while (performance.now() < deadline) {
    try {
      const left = await pool.use((connection) =>
        connection.run(
          `select pg_terminate_backend($1::integer) as told from pg_stat_get_activity($1::integer)
           where extract(epoch from backend_start)::text = $2`,
          [pid, since],
        ),
      );
      if (!left.length) return true;
    } catch {
      // The server is not reachable yet.
    }
    await sleep(sessionPauseMs);
  }
  return false;
}
