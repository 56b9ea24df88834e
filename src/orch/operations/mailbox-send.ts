/** [A13] Sending a message that interrupts a running sub-agent; if that is not possible, nothing is sent. */
import { findTask, lockTasks, type TaskRow } from "../../bus/task.ts";
import { interruptTask } from "../../bus/tasks/interrupt.ts";
import { InboxError } from "../../contract/errors.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import { blank, call, field, phrase, type Text } from "../../contract/phrase.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { interruptsBy } from "../profiles/profile-list.ts";
import type { Workplace } from "./place.ts";
import { goesOn, profileOf, startAnother } from "./task-program.ts";

export const interruptWith = (place: Workplace, input: ParsedOf<"mailbox.send">) =>
  function* (tx: Context): Procedure<OutputOf<"mailbox.send">> {
    yield* lockTasks(tx);
    const row = yield* findTask(input.to);
    const problem = problemOf(place, row);
    if (problem)
      throw new InboxError("invalid_state", `"${row.name}" cannot be interrupted: ${problem.why}`, {
        hint: problem.hint,
      });
    return yield* interruptTask(tx, row, { ...input, to: row.name });
  };

const without = phrase`leave out ${field("interrupt")} to put the message into its inbox`;

function problemOf(place: Workplace, row: TaskRow): { why: string; hint: Text } | undefined {
  if (row.status === "finished")
    return {
      why: "it has finished",
      hint: goesOn(place, row)
        ? phrase`${call("tasks.send", { name: row.name, message: blank("…") })} resumes it`
        : startAnother,
    };
  if (row.status !== "running")
    return { why: `it is ${row.status}, so there is no turn to end`, hint: without };
  if (row.worker !== null)
    return { why: `its work is done by "${row.worker}", which runs in a program of its own`, hint: without };
  const profile = profileOf(place, row);
  if (profile && interruptsBy(profile.runner) === null)
    return {
      why: `the program of its runner "${profile.runner.name}" cannot resume a conversation`,
      hint: without,
    };
  return undefined;
}
