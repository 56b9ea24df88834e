import type { Context, Procedure } from "../../sql/procedure.ts";
import { run } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { append } from "../event.ts";

/** Tasks named are let run; `timeout` is for those that have none of their own. */
export function* release(
  tx: Context,
  agent: string,
  names: readonly string[],
  timeout: number | undefined,
  count: number | undefined,
  now: string,
  inTurn = true,
): Procedure<void> {
  const fallback = timeout === undefined ? null : Math.round(timeout * 1000);
  for (const name of names)
    yield* run(sql`update tasks set status = 'waiting', in_turn = ${inTurn ? 1 : 0}, timeout_ms = coalesce(timeout_ms, ${fallback})
      where name = ${name} and status = 'queued'`);
  const payload = { tasks: names, count: count ?? null };
  yield* append(tx, { type: "task.released", source: agent, payload, now });
}
