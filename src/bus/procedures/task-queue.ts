/** [Q3] Looking at the queue. */
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all } from "../../sql/procedure.ts";
import { literal, sql } from "../../sql/sql.ts";
import { findTask, oneView, onlyOf, type TaskRow, taskColumns, tasksWhere, taskViews } from "../task.ts";

export function* queue(
  _: Context,
  { agent, all: everybody, limit }: ParsedOf<"tasks.queue">,
): Procedure<OutputOf<"tasks.queue">> {
  const whose = onlyOf(everybody ? undefined : agent);
  const queued = yield* tasksWhere(
    sql`tasks.status in ('queued', 'waiting') ${whose}`,
    sql`tasks.status desc, tasks.priority_rank, tasks.place`,
  );
  const running = yield* tasksWhere(
    sql`tasks.status = 'running' ${whose}`,
    sql`tasks.started_at, tasks.task_number`,
  );
  const finished = yield* all<TaskRow>(sql`
    select ${taskColumns} from tasks where tasks.status = 'finished' ${whose}
    order by tasks.finished_at desc, tasks.task_number desc limit ${literal(limit)}`);
  return {
    queued: yield* taskViews(queued),
    running: yield* taskViews(running),
    finished: (yield* taskViews(finished)).reverse(),
  };
}

export function* showTask(_: Context, { name }: ParsedOf<"tasks.show">): Procedure<OutputOf<"tasks.show">> {
  return { task: yield* oneView(yield* findTask(name)) };
}
