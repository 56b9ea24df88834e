/** [Q3] Moving a task within its queue. */
import { InboxError } from "../../contract/errors.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import { blank, call, field, ownCall, phrase } from "../../contract/phrase.ts";
import { plural } from "../../contract/plural.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { seen } from "../agent.ts";
import { append } from "../event.ts";
import { changeTask, findTask, isUnstarted, oneView, tasksWhere } from "../task.ts";
import { changeable } from "../tasks/changeable.ts";

export function* tasksMove(tx: Context, input: ParsedOf<"tasks.move">): Procedure<OutputOf<"tasks.move">> {
  const { agent, name: meant, to, before, behind } = input;
  if (to === undefined && before === undefined && behind === undefined)
    throw new InboxError(
      "invalid_input",
      phrase`no new position was given: add ${field("to")}, ${field("before")} or ${field("behind")}`,
      {
        hint: phrase`${ownCall("tasks.move", { name: meant, to: 1 })}, or ${ownCall("tasks.move", { name: meant, before: blank("OTHER") })}`,
      },
    );
  const row = yield* changeable(tx, meant, "move");
  const { name } = row;
  const neighbour = before ?? behind;
  const beside = neighbour === undefined ? undefined : (yield* findTask(neighbour)).task_number;
  if (row.task_number === beside)
    throw new InboxError("invalid_input", `"${name}" cannot be moved past itself`, {
      hint: phrase`${call("tasks.queue")} shows the other tasks`,
    });
  const now = yield* tx.clock();
  const line = yield* tasksWhere(sql`tasks.parent = ${row.parent} and ${isUnstarted}`, sql`tasks.place`);
  const others = line.filter((other) => other.task_number !== row.task_number);
  const other = others.findIndex((one) => one.task_number === beside);
  if (to === undefined && other < 0)
    throw new InboxError("not_found", `"${neighbour}" is not waiting in the same queue as "${name}"`, {
      hint: phrase`${call("tasks.queue")} lists the waiting tasks`,
    });
  if (to !== undefined && to > line.length)
    throw new InboxError(
      "invalid_input",
      `position ${to} is out of range: the queue has ${plural(line.length, "task")}`,
      {
        hint: phrase`${ownCall("tasks.move", { name, to: line.length })} moves it to the end`,
      },
    );
  const at = to === undefined ? other + (before === undefined ? 1 : 0) : to - 1;
  const ordered = others.toSpliced(at, 0, row);
  const places = line.map((one) => one.place);
  for (const [i, one] of ordered.entries())
    if (one.place !== places[i]) yield* changeTask(one, { place: places[i]! });
  yield* seen(tx, agent, now);
  const payload = { task: name, place: at + 1 };
  yield* append(tx, { type: "task.moved", source: agent, payload, now });
  return { task: yield* oneView({ ...row, place: places[at]! }), place: at + 1 };
}
