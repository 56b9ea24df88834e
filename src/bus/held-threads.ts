/** [L11] The threads that an agent holds: told where it finds nothing else to do, because it may have forgotten them. */

import { idOf } from "../contract/ids.ts";
import type { HeldThread } from "../contract/lease.ts";
import { heldLimit } from "../contract/lease.ts";
import type { Procedure } from "../sql/procedure.ts";
import { all } from "../sql/procedure.ts";
import { literal, sql } from "../sql/sql.ts";
import type { ThreadRow } from "./thread.ts";

type Row = Pick<ThreadRow, "thread_id" | "subject" | "status"> & { expires_at: string };

/** Those whose lease ends first. Nothing if it holds none. */
export function* heldBy(agent: string): Procedure<{ held?: HeldThread[] }> {
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
