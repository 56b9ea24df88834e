/** [Q3] Ending a running task with all tasks below it. Its keeper is woken, ends it, and reports the failure. */
import { InboxError } from "../../contract/errors.ts";
import { idOf } from "../../contract/ids.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import { call, ownCall, phrase } from "../../contract/phrase.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { seen } from "../agent.ts";
import { append } from "../event.ts";
import { changeTask, findTask, isRunning, lockTasks, oneView, type TaskRow, tasksWhere } from "../task.ts";
import { failUnstarted, killedBy } from "../tasks/end.ts";
import { findThread } from "../thread.ts";

export function* tasksKill(
  tx: Context,
  { agent, name, reason }: ParsedOf<"tasks.kill">,
): Procedure<OutputOf<"tasks.kill">> {
  yield* lockTasks(tx);
  const row = yield* findTask(name);
  if (row.status === "queued" || row.status === "finished")
    throw new InboxError("invalid_state", `kill is not possible: "${name}" is ${row.status}`, {
      hint:
        row.status === "queued"
          ? phrase`${ownCall("tasks.remove", { name })} removes it from the queue`
          : phrase`${call("tasks.show", { name })} shows how it ended`,
    });
  const now = yield* tx.clock();
  yield* seen(tx, agent, now);
  const kill = { by: agent, reason: reason ?? null, now };
  const killed =
    row.status === "waiting" ? yield* killWaiting(tx, row, kill) : yield* killLine(tx, row, kill);
  return { task: yield* oneView(yield* findTask(name)), killed };
}

interface Kill {
  by: string;
  reason: string | null;
  now: string;
}

/** Released but not started: no process runs, and its parent is told nevertheless. */
function* killWaiting(tx: Context, row: TaskRow, { by, reason, now }: Kill): Procedure<string[]> {
  const killed = yield* changeTask(row, { killed_by: by, kill_reason: reason });
  yield* append(tx, { type: "task.killed", source: by, payload: { task: row.name, reason }, now });
  yield* failUnstarted(tx, killed, { error: killedBy(killed), reason: "killed" }, now);
  return [row.name];
}

/** The task and every running task below it. Tasks below it that have not started end with their parent. */
export function* killLine(tx: Context, row: TaskRow, { by, reason, now }: Kill): Procedure<string[]> {
  if (row.killed_by === null) {
    yield* changeTask(row, { killed_by: by, kill_reason: reason });
    const thread = yield* findThread(idOf("thread", row.thread_id!));
    yield* append(tx, { type: "task.killed", source: by, thread, payload: { task: row.name, reason }, now });
  }
  const below = yield* tasksWhere(sql`tasks.parent = ${row.name} and ${isRunning}`);
  const killed = [row.name];
  const because = `its parent "${row.name}" was killed`;
  for (const child of below) killed.push(...(yield* killLine(tx, child, { by, reason: because, now })));
  return killed;
}
