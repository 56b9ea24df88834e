/** [Q3] Taking a task out of the queue. */
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { seen } from "../agent.ts";
import { oneView } from "../task.ts";
import { changeable } from "../tasks/changeable.ts";
import { removeUnstarted } from "../tasks/end.ts";

export function* tasksRemove(
  tx: Context,
  { agent, name }: ParsedOf<"tasks.remove">,
): Procedure<OutputOf<"tasks.remove">> {
  const row = yield* changeable(tx, name, "remove");
  const now = yield* tx.clock();
  yield* seen(tx, agent, now);
  return { task: yield* oneView(yield* removeUnstarted(tx, row, agent, now)) };
}
