/** [Q2] Releasing queued tasks: the supervisor starts them as there is room. */
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { one, run } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { insert, overwriting } from "../../sql/table.ts";
import { queues } from "../../sql/tables.ts";
import { seen } from "../agent.ts";
import { heldToday } from "../daily-limit.ts";
import { isReleased, lockTasks, tasksWhere } from "../task.ts";
import { releaseTasks } from "../tasks/release.ts";

export function* tasksRun(tx: Context, input: ParsedOf<"tasks.run">): Procedure<OutputOf<"tasks.run">> {
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
  return { released: names, running: busy!.running, waiting: busy!.waiting, held: yield* heldToday(now) };
}

const overwritten = overwriting(queues);

/** How many of an agent's tasks run at a time, from now on; null where there is no limit. */
function* limit(agent: string, slots: number | null): Procedure<void> {
  yield* run(sql`${insert(queues, { agent_id: agent, slots })} ${overwritten}`);
}
