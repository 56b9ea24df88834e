/** [Q3] Editing a task that has not started. */

import { InboxError } from "../../contract/errors.ts";
import { noLimit } from "../../contract/limit.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import { call, phrase } from "../../contract/phrase.ts";
import { noSetting } from "../../contract/task.ts";
import { budgetIn } from "../../contract/usage.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all, run } from "../../sql/procedure.ts";
import { joined, sql } from "../../sql/sql.ts";
import { seen } from "../agent.ts";
import { append } from "../event.ts";
import { changeTask, oneView, type TaskRow } from "../task.ts";
import { depend, prerequisites } from "../tasks/add.ts";
import { changeable } from "../tasks/changeable.ts";
import { budgetColumns } from "../usage.ts";

export function* tasksEdit(tx: Context, input: ParsedOf<"tasks.edit">): Procedure<OutputOf<"tasks.edit">> {
  const { agent, name: meant, after, timeout, budget, ...rest } = input;
  const row = yield* changeable(tx, meant, "edit");
  const { name } = row;
  const now = yield* tx.clock();
  const { prompt, model, profile, retries, priority } = rest;
  const change = Object.fromEntries(
    Object.entries({
      prompt,
      model: model === noSetting ? null : model,
      profile,
      retries,
      priority,
      timeout_ms: typeof timeout === "number" ? Math.round(timeout * 1000) : timeout,
      ...(budget !== undefined && budgetColumns(budget === noLimit ? null : budgetIn(budget)!)),
    }).filter(([, value]) => value !== undefined),
  );
  if (!Object.keys(change).length && after === undefined)
    throw new InboxError("invalid_input", `no change was given for "${name}"`, {
      hint: "give a new prompt, or one of model, profile, timeout, budget, after, retries, priority",
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

/** [Q10] A task must not depend on one that waits for it. */
function* refuseCircle(row: TaskRow, after: readonly TaskRow[]): Procedure<void> {
  const seenBefore = new Set<number>();
  let next = after.map((other) => other.task_number);
  while (next.length) {
    if (next.includes(row.task_number))
      throw new InboxError(
        "invalid_input",
        `"${row.name}" would wait for itself: the dependencies form a cycle`,
        {
          hint: phrase`${call("tasks.queue")} shows what each waits for`,
        },
      );
    for (const number of next) seenBefore.add(number);
    const links = yield* all<{ after_number: number }>(sql`
      select distinct task_dependencies.after_number from task_dependencies
      where task_dependencies.task_number in (${joined(next)})`);
    next = links.map((link) => link.after_number).filter((number) => !seenBefore.has(number));
  }
}
