/**
 * What became of a transaction whose commit was not answered: the server's log knows it by its number. A number that had not
 * reached the disk when the server crashed, or the standby when it was promoted, is given to somebody else: then only
 * "committed" proves nothing. Either of the two empties tables that are not logged, and so the name of this life.
 */

import { sleep } from "../../platform/runtime.ts";
import type { Pool } from "./pool.ts";

/** Longer than the server keeps an idle transaction or runs a statement (connection.ts): a half-broken connection ends with that. */
const fateWaitMs = 13_000;
const pauseMs = 100;

export interface Trace {
  xid?: string;
  /** Another one after a crash or a promotion. */
  life?: string;
}

/** Kept where it goes with a crash: among those who live, as one who never ends by itself. */
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
      // Not back yet.
    }
    await sleep(pauseMs);
  }
  return "unknown";
}
