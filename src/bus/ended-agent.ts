/** Sub-agents that have finished: nobody reads what is sent to them, and the sender is told so. */
import type { Recipient } from "../contract/recipient.ts";
import type { Context, Procedure } from "../sql/procedure.ts";
import { known, one } from "../sql/procedure.ts";
import { repeated } from "../sql/repeated.ts";
import { alike, type Sql, sql } from "../sql/sql.ts";

/**
 * A sub-agent that has finished, and whose name nobody has used since, so nobody will collect its mail. If retention
 * has deleted its task, the row of the agent says when it finished ([Y2]).
 */
export const hasGone = (name: Sql | string) => sql`(case
  when exists (select 1 from tasks as life where life.name = ${name} and life.worker is null)
  then not exists (select 1 from tasks as life where life.name = ${name} and life.status <> 'finished')
    and not exists (select 1 from agents as known where known.name = ${name} and known.last_seen_at >
      (select max(life.finished_at) from tasks as life where life.name = ${name} and life.worker is null))
  else exists (select 1 from agents as known where known.name = ${name} and known.last_seen_at <= known.ended_at) end)`;

export const isGone = (tx: Context, name: string): Procedure<boolean> =>
  repeated(tx, `gone:${name}`, gone, name);

const gone = {
  query: (name: string) => alike(sql`select 1 as gone where ${hasGone(name)}`),
  pick: (rows: readonly unknown[]) => rows.length > 0,
};

/** [M13] What the sender is told about a recipient after the message was written, including that nobody will read it. */
export function reached(recipient: Recipient, written: { unread: boolean }): Procedure<Recipient> {
  if (!written.unread) return known(recipient);
  return unread(recipient);
}

function* unread(recipient: Recipient): Procedure<Recipient> {
  const { name } = recipient;
  const task = yield* one<{ parent: string; session: string | null }>(sql`
    select tasks.parent, tasks.session from tasks where tasks.name = ${name} order by tasks.task_number desc limit 1`);
  const others = task ? `write to its parent "${task.parent}", or ` : "";
  const hint = `"${name}" is a sub-agent that has finished and no longer reads mail; ${others}start a new one`;
  return { ...recipient, ended: true, hint, ...(task?.session && { resumable: name }) };
}
