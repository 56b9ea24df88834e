/**
 * [L11] [M13] What an agent is told where it finds nothing to do: the threads that it holds, because it may have forgotten
 * them; or that its name looks misspelled.
 */

import { idOf } from "../contract/ids.ts";
import type { HeldThread } from "../contract/lease.ts";
import { heldLimit } from "../contract/lease.ts";
import type { Unknown } from "../contract/recipient.ts";
import type { Context, Procedure } from "../sql/procedure.ts";
import { all } from "../sql/procedure.ts";
import { literal, sql } from "../sql/sql.ts";
import { unknownAmong } from "./name-use.ts";
import type { ThreadRow } from "./thread.ts";

type Row = Pick<ThreadRow, "thread_id" | "subject" | "status"> & { expires_at: string };

/** `joined`: the agent was not known before this call. */
export function* toldWithoutWork(
  tx: Context,
  agent: string,
  joined = false,
): Procedure<{ held?: HeldThread[]; unknown?: Unknown[] }> {
  const { held } = yield* heldBy(agent);
  return held ? { held } : yield* unknownAmong(tx, [agent], joined ? agent : undefined);
}

/** Those whose lease ends first. Nothing if it holds none. */
function* heldBy(agent: string): Procedure<{ held?: HeldThread[] }> {
  const rows = yield* all<Row>(sql`
    select threads.thread_id, threads.subject, threads.status, leases.expires_at
    from leases join threads on threads.thread_id = leases.thread_id
    where leases.agent_id = ${agent} and leases.released_at is null
    order by leases.expires_at, threads.thread_id limit ${literal(heldLimit)}`);
  if (!rows.length) return {};
  return {
    held: rows.map(({ thread_id, subject, status, expires_at }) => ({
      threadId: idOf("thread", thread_id),
      subject,
      status,
      expiresAt: expires_at,
    })),
  };
}
