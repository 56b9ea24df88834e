/** [Q3] Only what has not started can be changed. */

import { InboxError } from "../../contract/errors.ts";
import { call, ownCall, phrase } from "../../contract/phrase.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { findTask, isUnstartedRow, lockTasks, type TaskRow } from "../task.ts";

export function* changeable(tx: Context, name: string, command: string): Procedure<TaskRow> {
  yield* lockTasks(tx);
  const row = yield* findTask(name);
  if (isUnstartedRow(row)) return row;
  throw new InboxError("invalid_state", `${command} is not possible: "${name}" is ${row.status}`, {
    hint:
      row.status === "running"
        ? phrase`${ownCall("tasks.kill", { name })} ends it`
        : phrase`${call("tasks.show", { name })} shows how it ended`,
  });
}
