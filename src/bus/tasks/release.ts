import type { Context, Procedure } from "../../sql/procedure.ts";
import { run } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { append } from "../event.ts";

interface Release {
  agent: string;
  names: readonly string[];
  /** In seconds, for tasks without a timeout of their own. */
  timeout?: number;
  count?: number;
  /** They count towards the number of tasks that the queue runs at a time. */
  inTurn: boolean;
  now: string;
}

/** The tasks may start from now on. */
export function* releaseTasks(
  tx: Context,
  { agent, names, timeout, count, inTurn, now }: Release,
): Procedure<void> {
  const fallback = timeout === undefined ? null : Math.round(timeout * 1000);
  for (const name of names)
    yield* run(sql`update tasks set status = 'waiting', in_turn = ${inTurn ? 1 : 0}, timeout_ms = coalesce(timeout_ms, ${fallback})
      where name = ${name} and status = 'queued'`);
  const payload = { tasks: names, count: count ?? null };
  yield* append(tx, { type: "task.released", source: agent, payload, now });
}
