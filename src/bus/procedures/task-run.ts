/** [Q2] Letting queued tasks run: whoever supervises starts them as there is room. */
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { one, run } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { seen } from "../agent.ts";
import { append } from "../event.ts";
import { isReleased, lockTasks, tasksWhere } from "../task.ts";

export function* runTasks(tx: Context, input: ParsedOf<"tasks.run">): Procedure<OutputOf<"tasks.run">> {
  const { agent, count } = input;
  yield* lockTasks(tx);
  const now = yield* tx.clock();
  yield* seen(tx, agent, now);
  const released = yield* tasksWhere(
    sql`tasks.parent = ${agent} and tasks.status = 'queued'`,
    sql`tasks.priority_rank, tasks.place`,
  );
  yield* limit(agent, count ?? null);
  const names = released.map((row) => row.name);
  yield* releaseTasks(tx, { agent, names, timeout: input.timeout, count, inTurn: true, now });
  const busy = yield* one<{ running: number; waiting: number }>(sql`
    select coalesce(sum(case when tasks.status = 'running' then 1 else 0 end), 0) as running,
      coalesce(sum(case when tasks.status = 'waiting' then 1 else 0 end), 0) as waiting
    from tasks where tasks.parent = ${agent} and ${isReleased}`);
  return { released: names, running: busy!.running, waiting: busy!.waiting };
}

/** How many of an agent's tasks run at a time, from now on; null where there is no limit. */
function* limit(agent: string, slots: number | null): Procedure<void> {
  yield* run(sql`insert into queues (agent_id, slots) values (${agent}, ${slots})
    on conflict (agent_id) do update set slots = excluded.slots`);
}

interface Release {
  agent: string;
  names: readonly string[];
  /** Seconds, for those that have no timeout of their own. */
  timeout?: number;
  count?: number;
  /** They count among those that the queue runs at a time. */
  inTurn: boolean;
  now: string;
}

/** From now on they may start. */
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
