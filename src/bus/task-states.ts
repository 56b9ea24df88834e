/** Which tasks are in which state, and the lock for changing that. Apart from task.ts, because every command asks whether there is one to supervise. */
import type { Context, Procedure } from "../sql/procedure.ts";
import { alone, one } from "../sql/procedure.ts";
import { fragment, sql } from "../sql/sql.ts";

// The condition "not finished" is repeated, because no planner sees by itself that the index of unfinished tasks serves these.
export const isRunning = fragment`tasks.status <> 'finished' and tasks.status = 'running'`;
export const isWaiting = fragment`tasks.status <> 'finished' and tasks.status = 'waiting'`;
export const isUnstarted = fragment`tasks.status <> 'finished' and tasks.status in ('queued', 'waiting')`;
/** It may start, or has started: `orch run` has released it. */
export const isReleased = fragment`tasks.status <> 'finished' and tasks.status in ('waiting', 'running')`;

/** All changes to tasks take this lock, because which task may start depends on all the others. */
export const lockTasks = (tx: Context) => alone(tx, "tasks");

/** Whether there is something to supervise. */
export function* openWork(): Procedure<boolean> {
  const work = yield* one(sql`select 1 as here from tasks where ${isReleased} limit 1`);
  return work !== undefined;
}
