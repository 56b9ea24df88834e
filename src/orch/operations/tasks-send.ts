/** [A4] Writing to a sub-agent, whether it still runs or has ended. */
import { mailboxSend } from "../../bus/procedures/mailbox-send.ts";
import { changeTask, findTask, oneView, type TaskRow } from "../../bus/task.ts";
import { continueTask } from "../../bus/tasks/continue.ts";
import { budgetColumns } from "../../bus/usage.ts";
import { branchToBegin, type WorktreeRow, worktreeOf } from "../../bus/worktree.ts";
import { InboxError } from "../../contract/errors.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import { blank, call, phrase } from "../../contract/phrase.ts";
import { type Budget, budgetIn } from "../../contract/usage.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { runnerFor } from "../runners/index.ts";
import { profileOf } from "./ended-worktree.ts";
import { interruptWith } from "./mailbox-send.ts";
import { refuseBudget } from "./new-task.ts";
import type { Workplace } from "./place.ts";

export const sendTo = (place: Workplace, input: ParsedOf<"tasks.send">) =>
  function* (tx: Context): Procedure<OutputOf<"tasks.send">> {
    const { agent, message, budget: asked, interrupt } = input;
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
        {
          hint: phrase`start a new sub-agent: ${call("tasks.assign", { message: blank("…") })}`,
        },
      );
    const begins = beginningOf(yield* worktreeOf(row.task_number));
    return { delivered: "turn", task: yield* oneView(yield* continueTask(tx, row, agent, message)), begins };
  };

const beginningOf = (row: WorktreeRow | undefined): OutputOf<"tasks.send">["begins"] =>
  row ? { from: branchToBegin(row) ?? row.base, earlier: row.state } : null;

/** Whether its session can be told something more. */
export function goesOn(place: Workplace, row: TaskRow): boolean {
  const profile = profileOf(place, row);
  return row.session !== null && profile !== undefined && runnerFor(profile.runner).resumes;
}

/** [A11] What its program would not heed is refused. */
function budgetAskedFor(place: Workplace, row: TaskRow, asked: string): Budget {
  const budget = budgetIn(asked)!;
  const profile = profileOf(place, row);
  if (row.worker !== null || profile) refuseBudget(budget, row.worker ?? profile!.runner);
  return budget;
}
