/** [A2] Writing to a sub-agent, and waiting for it, by the id or the branch of its task. */
import { InboxError } from "../../contract/errors.ts";
import { idOf, taskNumberIn } from "../../contract/ids.ts";
import type { Procedure } from "../../sql/procedure.ts";
import { one } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { taskNumberOf } from "../task.ts" with { load: "when-called" };

/** Anything else is a name, and need not be looked up. */
export const isTaskText = (text: string) => taskNumberIn(text) !== undefined || text.startsWith("orch/");

export function* mailNamesOf(meant: readonly string[]): Procedure<string[]> {
  const names: string[] = [];
  for (const text of meant) names.push(yield* mailNameOf(text));
  return names;
}

/** Whose inbox is meant, or whose mail. */
export function* mailNameOf(to: string): Procedure<string> {
  if (!isTaskText(to)) return to;
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
        hint: `give ${idOf("task", row.newest)} to mean that one`,
      },
    );
  return row.worker ?? row.name;
}
