/**
 * What became of a transaction whose commit was not answered: the server's log knows it by its number. Only on the server
 * that gave the number: a standby that was promoted in between may give the same one to somebody else.
 */
import type { Pool } from "./pool.ts";

const patienceMs = 10_000;
const pauseMs = 100;

export interface Trace {
  xid?: string;
  /** Grows when a standby takes over. */
  timeline?: string;
}

export const timelineNow = "left(pg_walfile_name(pg_current_wal_lsn()), 8)";

export async function fateOf(
  { xid, timeline }: Trace,
  pool: Pool,
): Promise<"committed" | "aborted" | "unknown"> {
  if (xid === undefined || timeline === undefined) return "unknown";
  const deadline = performance.now() + patienceMs;
  while (performance.now() < deadline) {
    try {
      const rows = await pool.use((connection) =>
        connection.run(`select pg_xact_status($1::text::xid8) as status, ${timelineNow} as timeline`, [xid]),
      );
      const { status, timeline: now } = rows[0]!;
      if (now !== timeline) return "unknown";
      if (status === "committed" || status === "aborted") return status;
    } catch {
      // Not back yet.
    }
    await Bun.sleep(pauseMs);
  }
  return "unknown";
}
