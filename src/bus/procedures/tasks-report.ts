/** [A11] A program reports its own usage. */
import { InboxError } from "../../contract/errors.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { threadTopic } from "../../sql/topics.ts";
import { liveTask, lockTasks } from "../task.ts";
import { announceUsage } from "../tasks/announce.ts";
import { addUsage, usageOf, usageViews } from "../usage.ts";

export function* tasksReport(
  tx: Context,
  { agent, costUsd, ...counts }: ParsedOf<"tasks.report">,
): Procedure<OutputOf<"tasks.report">> {
  yield* lockTasks(tx);
  const row = yield* liveTask(agent);
  if (row?.status !== "running" || row.worker !== null)
    throw new InboxError("invalid_state", `"${agent}" is not a sub-agent with a running task`, {
      hint: "a program reports for the task that it was started for; use that task's name as the agent name",
    });
  const used = { ...counts, costUsd: costUsd ?? null };
  if (costUsd === undefined && Object.values(counts).every((value) => value === 0))
    throw new InboxError("invalid_input", "no usage was given", {
      hint: "give input tokens, output tokens, or a cost",
    });
  yield* addUsage(tx, row, used);
  yield* announceUsage(tx, row);
  // The keeper checks whether that exceeds the budget.
  tx.wake(threadTopic(row.thread_id!));
  return { usage: usageViews(yield* usageOf(row.task_number)).usage! };
}
