/** [A4] Writing to a sub-agent, running or finished. */
import { mailboxSend } from "../../bus/procedures/mailbox-send.ts";
import { changeTask, findTask, oneView, type TaskRow, taskNumberOf } from "../../bus/task.ts";
import { continueTask } from "../../bus/tasks/continue.ts";
import { budgetColumns } from "../../bus/usage.ts";
import { branchToBegin, type WorktreeRow, worktreeOf } from "../../bus/worktree.ts";
import { person } from "../../contract/entry.ts";
import { InboxError } from "../../contract/errors.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import { blank, call, phrase } from "../../contract/phrase.ts";
import { type Budget, budgetIn } from "../../contract/usage.ts";
import { type Context, one, type Procedure } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { interruptWith } from "./mailbox-send.ts";
import { refuseBudget } from "./new-task.ts";
import type { Workplace } from "./place.ts";
import { goesOn, profileOf, startAnother } from "./task-program.ts";

export const sendTo = (place: Workplace, input: ParsedOf<"tasks.send">) =>
  function* (tx: Context): Procedure<OutputOf<"tasks.send">> {
    const { agent, message, budget: asked, interrupt } = input;
    yield* refuseAgent(input.name);
    const found = yield* findTask(input.name);
    const { name } = found;
    const budget = asked === undefined ? null : budgetAskedFor(place, found, asked);
    const row = budget ? yield* changeTask(found, budgetColumns(budget)) : found;
    if (row.status !== "finished" && interrupt) {
      yield* interruptWith(place, { from: agent, to: name, message, strict: false, interrupt })(tx);
      return { delivered: "turn", task: yield* oneView(row), begins: null };
    }
    if (row.status !== "finished") {
      yield* mailboxSend(tx, {
        from: agent,
        to: row.worker ?? name,
        message,
        strict: false,
        interrupt: false,
      });
      return { delivered: "inbox", task: yield* oneView(row), begins: null };
    }
    if (!goesOn(place, row))
      throw new InboxError(
        "invalid_state",
        `"${name}" has finished, and its program cannot resume a session`,
        { hint: startAnother },
      );
    const begins = beginningOf(yield* worktreeOf(row.task_number));
    return { delivered: "turn", task: yield* oneView(yield* continueTask(tx, row, agent, message)), begins };
  };

/** An agent that reads its mail and was not started for a task. */
function* refuseAgent(name: string): Procedure<void> {
  if ((yield* taskNumberOf(name)) !== undefined) return;
  const agent =
    name === person || (yield* one(sql`select 1 as there from agents where agents.name = ${name}`));
  if (agent)
    throw new InboxError(
      "not_found",
      `there is no task "${name}": it is ${name === person ? "the person" : "an agent of its own"}`,
      {
        hint: phrase`${call("mailbox.send", { to: name, message: blank("…") })} puts the message into its inbox`,
      },
    );
}

const beginningOf = (row: WorktreeRow | undefined): OutputOf<"tasks.send">["begins"] =>
  row ? { from: branchToBegin(row) ?? row.base, earlier: row.state } : null;

/** [A11] A setting that its program would ignore is refused. */
function budgetAskedFor(place: Workplace, row: TaskRow, asked: string): Budget {
  const budget = budgetIn(asked)!;
  const profile = profileOf(place, row);
  if (row.worker !== null || profile) refuseBudget(budget, row.worker ?? profile!.runner);
  return budget;
}
