/** [A8] The permission tool of agent programs that ask by MCP. */
import { liveTask } from "../../bus/task.ts";
import { worktreeOf } from "../../bus/worktree.ts";
import { InboxError } from "../../contract/errors.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Engine } from "../../engines/engine.ts";
import { permit } from "../permit.ts";
import { profilesAt, type Workplace } from "./place.ts";
import { profileOf } from "./task-program.ts";

export async function permitTool(
  engine: Engine,
  place: Workplace,
  { agent, toolName, input }: ParsedOf<"tasks.permit">,
  signal?: AbortSignal,
): Promise<OutputOf<"tasks.permit">> {
  const { task, row } = await engine.read(function* () {
    const task = yield* liveTask(agent);
    return { task, row: task && (yield* worktreeOf(task.task_number)) };
  });
  if (task?.permission !== "ask")
    throw new InboxError("invalid_state", `"${agent}" is not a running task with permission=ask`, {
      hint: "only the program of a running task with permission=ask can ask",
    });
  const profile = profileOf(place, task) ?? profilesAt(place).profiles.usual;
  const folder = row?.path ?? task.cwd;
  const { allowed, why } = await permit({ engine, task, profile, folder, signal }, { tool: toolName, input });
  return allowed
    ? { behavior: "allow", updatedInput: input }
    : { behavior: "deny", message: why ?? "it was denied" };
}
