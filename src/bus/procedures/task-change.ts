/** [Q3] Changing what has not started: taking it out, moving it, editing it. */
import { InboxError } from "../../contract/errors.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import { blank, call, field, phrase } from "../../contract/phrase.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all, run } from "../../sql/procedure.ts";
import { joined, sql } from "../../sql/sql.ts";
import { seen } from "../agent.ts";
import { append } from "../event.ts";
import {
  changeTask,
  findTask,
  hasNotBegun,
  lockTasks,
  notStarted,
  oneView,
  type TaskRow,
  tasksWhere,
} from "../task.ts";
import { removeUnstarted } from "./task-end.ts";
import { depend, prerequisites } from "./task-push.ts";

function* changeable(tx: Context, name: string, command: string): Procedure<TaskRow> {
  yield* lockTasks(tx);
  const row = yield* findTask(name);
  if (notStarted(row)) return row;
  throw new InboxError("invalid_state", `${command} is not possible: "${name}" is ${row.status}`, {
    hint: row.status === "running" ? phrase`${call("tasks.kill", { name })} ends it` : "push it again",
  });
}

export function* removeTask(
  tx: Context,
  { agent, name }: ParsedOf<"tasks.remove">,
): Procedure<OutputOf<"tasks.remove">> {
  const row = yield* changeable(tx, name, "remove");
  const now = yield* tx.clock();
  yield* seen(tx, agent, now);
  return { task: yield* oneView(yield* removeUnstarted(tx, row, agent, now)) };
}

export function* moveTask(tx: Context, input: ParsedOf<"tasks.move">): Procedure<OutputOf<"tasks.move">> {
  const { agent, name, to, before, behind } = input;
  if ([to, before, behind].filter((where) => where !== undefined).length !== 1)
    throw new InboxError(
      "invalid_input",
      phrase`give exactly one of ${field("to")}, ${field("before")} and ${field("behind")}`,
      {
        hint: phrase`${call("tasks.move", { name, to: 1 })}, or ${call("tasks.move", { name, before: blank("OTHER") })}`,
      },
    );
  if (name === (before ?? behind))
    throw new InboxError("invalid_input", `"${name}" cannot be moved past itself`, {
      hint: phrase`${call("tasks.queue")} shows the others`,
    });
  const row = yield* changeable(tx, name, "move");
  const now = yield* tx.clock();
  const line = yield* tasksWhere(sql`tasks.parent = ${row.parent} and ${hasNotBegun}`, sql`tasks.place`);
  const others = line.filter((other) => other.task_number !== row.task_number);
  const other = others.findIndex((one) => one.name === (before ?? behind));
  if (to === undefined && other < 0)
    throw new InboxError("not_found", `"${before ?? behind}" is not waiting in the same queue as "${name}"`, {
      hint: phrase`${call("tasks.queue")} shows what is`,
    });
  if (to !== undefined && to > line.length)
    throw new InboxError("invalid_input", `there are only ${line.length} places in this queue, got ${to}`, {
      hint: phrase`${call("tasks.move", { name, to: line.length })} makes it the last`,
    });
  const at = to === undefined ? other + (before === undefined ? 1 : 0) : to - 1;
  const ordered = others.toSpliced(at, 0, row);
  const places = line.map((one) => one.place);
  for (const [i, one] of ordered.entries())
    if (one.place !== places[i]) yield* changeTask(one, { place: places[i]! });
  yield* seen(tx, agent, now);
  const payload = { task: name, place: at + 1 };
  yield* append(tx, { type: "task.moved", source: agent, payload, now });
  return { task: yield* oneView(yield* findTask(name)), place: at + 1 };
}

export function* editTask(tx: Context, input: ParsedOf<"tasks.edit">): Procedure<OutputOf<"tasks.edit">> {
  const { agent, name, after, timeout, ...rest } = input;
  const row = yield* changeable(tx, name, "edit");
  const now = yield* tx.clock();
  const { prompt, model, profile, retries, priority } = rest;
  const change = Object.fromEntries(
    Object.entries({
      prompt,
      model,
      profile,
      retries,
      priority,
      timeout_ms: timeout === undefined ? undefined : Math.round(timeout * 1000),
    }).filter(([, value]) => value !== undefined),
  );
  if (!Object.keys(change).length && after === undefined)
    throw new InboxError("invalid_input", `there is nothing to change in "${name}"`, {
      hint: "give a new prompt, or one of model, profile, timeout, after, retries, priority",
    });
  if (after !== undefined) {
    const others = yield* prerequisites(name, after);
    yield* refuseCircle(row, others);
    yield* run(sql`delete from task_dependencies where task_number = ${row.task_number}`);
    yield* depend(row.task_number, others);
  }
  const changed = Object.keys(change).length ? yield* changeTask(row, change) : row;
  yield* seen(tx, agent, now);
  const payload = {
    task: name,
    changed: Object.keys(input).filter((key) => key !== "agent" && key !== "name"),
  };
  yield* append(tx, { type: "task.edited", source: agent, payload, now });
  return { task: yield* oneView(changed) };
}

/** [Q10] Whoever waits for it must not be among those it would wait for. */
function* refuseCircle(row: TaskRow, after: readonly TaskRow[]): Procedure<void> {
  const seenBefore = new Set<number>();
  let next = after.map((other) => other.task_number);
  while (next.length) {
    if (next.includes(row.task_number))
      throw new InboxError("invalid_input", `"${row.name}" would wait for itself, in a circle`, {
        hint: phrase`${call("tasks.queue")} shows what each waits for`,
      });
    for (const number of next) seenBefore.add(number);
    const links = yield* all<{ after_number: number }>(sql`
      select distinct task_dependencies.after_number from task_dependencies
      where task_dependencies.task_number in (${joined(next)})`);
    next = links.map((link) => link.after_number).filter((number) => !seenBefore.has(number));
  }
}
