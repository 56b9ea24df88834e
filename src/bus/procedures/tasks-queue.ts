/** [Q3] Looking at the queue. */
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { heldToday } from "../daily-limit.ts";
import { isRunning, isUnstarted, ownedBy, tasksInQueue } from "../task.ts";
import { and, visible } from "../visible.ts";

export function* tasksQueue(
  tx: Context,
  { agent, all: everybody, limit }: ParsedOf<"tasks.queue">,
): Procedure<OutputOf<"tasks.queue">> {
  const whose = () => sql`${ownedBy(everybody ? undefined : agent)} ${and(visible.tasks(tx))}`;
  const finished = yield* tasksInQueue(
    sql`tasks.status = 'finished' ${whose()}`,
    sql`tasks.finished_at desc, tasks.task_number desc`,
    limit + 1,
  );
  const hasMore = finished.length > limit;
  return {
    // Tasks that may start come first, in the order in which they start.
    queued: yield* tasksInQueue(
      sql`${isUnstarted} ${whose()}`,
      sql`tasks.status desc, tasks.priority_rank, tasks.place`,
    ),
    running: yield* tasksInQueue(sql`${isRunning} ${whose()}`, sql`tasks.started_at, tasks.task_number`),
    finished: finished.slice(0, limit).reverse(),
    hasMore,
    held: yield* heldToday(yield* tx.clock()),
  };
}
