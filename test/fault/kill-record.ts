/** What killed processes had been told is done, and whether the database agrees. */
import { rows } from "../support/stored.ts";

export type Acknowledged =
  | { op: "message"; id: string; summary: string }
  | { op: "claim"; agent: string; thread: string; expiresAt: string }
  | { op: "end"; thread: string; status: "done" | "failed" };

/** Acknowledged writes that are not in the database as they were acknowledged. */
export function lost(db: string, record: readonly Acknowledged[]): Acknowledged[] {
  const summaries = new Map(
    rows<{ message_id: number; summary: string }>(db, "select message_id, summary from messages").map(
      (row) => [`msg_${row.message_id}`, row.summary],
    ),
  );
  const statuses = new Map(
    rows<{ thread_id: number; status: string }>(db, "select thread_id, status from threads").map((row) => [
      `thr_${row.thread_id}`,
      row.status,
    ]),
  );
  const claims = new Set(claimsOf(db).map((claim) => `${claim.thread} ${claim.agent} ${claim.expiresAt}`));
  return record.filter((line) => {
    if (line.op === "message") return summaries.get(line.id) !== line.summary;
    if (line.op === "end") return statuses.get(line.thread) !== line.status;
    return !claims.has(`${line.thread} ${line.agent} ${line.expiresAt}`);
  });
}

/** Messages that were written twice: every one of ours carried a text of its own. */
export function doubled(db: string): unknown[] {
  return rows(
    db,
    `select summary, count(*) as times from messages where json_extract(payload_json, '$.reason') is null
     group by summary having count(*) > 1`,
  );
}

/** Claims granted while another agent's lease was still good, and endings by one who was not the holder. */
export function overlapping(db: string): unknown[] {
  const holders = new Map<string, ClaimEvent>();
  const wrong: unknown[] = [];
  for (const event of claimsOf(db)) {
    const holder = holders.get(event.thread);
    if (event.type === "thread.claimed") {
      if (holder && holder.agent !== event.agent && holder.expiresAt > event.at)
        wrong.push({ holder, event });
      holders.set(event.thread, event);
    } else {
      if (holder?.agent !== event.agent) wrong.push({ holder, event });
      holders.delete(event.thread);
    }
  }
  return wrong;
}

interface ClaimEvent {
  type: string;
  thread: string;
  agent: string;
  expiresAt: string;
  at: string;
}

/** Who got or gave up which lease, in the order in which it happened. */
function claimsOf(db: string): ClaimEvent[] {
  return rows<ClaimEvent>(
    db,
    `select event_type as type, 'thr_' || thread_id as thread, source as agent, created_at as at,
       json_extract(payload_json, '$.expires_at') as expiresAt
     from events where event_type in ('thread.claimed', 'thread.released', 'thread.done', 'thread.failed')
     order by event_id`,
  );
}
