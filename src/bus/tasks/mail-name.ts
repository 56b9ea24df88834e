/** [A2] Writing to a sub-agent by the id or the branch of its task. */
import { InboxError } from "../../contract/errors.ts";
import { idOf, taskNumberIn } from "../../contract/ids.ts";
import { blank, call, phrase } from "../../contract/phrase.ts";
import type { Procedure } from "../../sql/procedure.ts";
import { one } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { taskNumberOf } from "../task.ts";

/** Whose inbox is meant. What looks like neither is a name, and costs nothing here. */
export function* mailNameOf(to: string): Procedure<string> {
  if (taskNumberIn(to) === undefined && !to.startsWith("orch/")) return to;
  const number = yield* taskNumberOf(to);
  if (number === undefined) return to;
  const row = yield* one<{ name: string; worker: string | null; newest: number }>(sql`
    select tasks.name, tasks.worker,
      (select max(later.task_number) from tasks as later where later.name = tasks.name) as newest
    from tasks where tasks.task_number = ${number}`);
  if (!row) return to;
  // The inbox of that name is the newer one's.
  if (row.newest !== number)
    throw new InboxError(
      "invalid_state",
      `${to} has finished, and its name "${row.name}" is that of ${idOf("task", row.newest)} now`,
      {
        hint: phrase`${call("mailbox.send", { to: idOf("task", row.newest), message: blank("…") })} writes to that one`,
      },
    );
  return row.worker ?? row.name;
}
