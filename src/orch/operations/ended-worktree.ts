/** [A1] The worktree of a task, for the operations that show, merge or delete it. */
import { findTask, type TaskRow } from "../../bus/task.ts";
import { othersKept, worktreeOf } from "../../bus/worktree.ts";
import { InboxError } from "../../contract/errors.ts";
import { idOf } from "../../contract/ids.ts";
import { call, field, ownCall, phrase, type Text } from "../../contract/phrase.ts";
import type { KeptBranch } from "../../contract/worktree.ts";
import type { Engine } from "../../engines/engine.ts";
import { thisHost, worktreesFolder } from "../paths.ts";
import type { MadeWorktree } from "../worktree/changes.ts";
import { pathFor } from "../worktree/make.ts";
import type { Workplace } from "./place.ts";

/** A worktree that was made, on this machine. */
export interface Found {
  task: TaskRow;
  row: MadeWorktree;
  /** The folder of all worktrees of the bus. */
  folder: string;
  /** Other tasks of the same name whose branches are kept. */
  others: KeptBranch[];
}

export async function findWorktree(engine: Engine, { db }: Workplace, meant: string): Promise<Found> {
  const { task, row, others } = await engine.read(function* (tx) {
    const task = yield* findTask(meant);
    return { task, row: yield* worktreeOf(task.task_number), others: yield* othersKept(tx, task) };
  });
  const { name } = task;
  if (!row)
    throw new InboxError(
      "invalid_state",
      `"${name}" has no worktree of its own: it works directly in ${task.cwd}`,
      {
        hint:
          theOthers(others) ??
          phrase`a task that is pushed with ${field("worktree", "yes", "tasks.push")} has its changes on a branch of its own`,
      },
    );
  const { branch, path } = row;
  if (branch === null || path === null)
    throw new InboxError("invalid_state", `"${name}" has no worktree yet: it is ${task.status}`, {
      hint: phrase`${call("tasks.queue")} shows what runs`,
    });
  if (task.host !== null && task.host !== thisHost())
    throw new InboxError("not_found", `the worktree of "${name}" is on ${task.host}, not here`, {
      hint: phrase`ask there, or the hub that runs there: ${call("tasks.diff", { name: meant }, { db: `http://${task.host}:PORT` })}`,
    });
  return { task, row: { ...row, branch, path }, folder: worktreesFolder(db, process.env), others };
}

const nothingToDo = "there is nothing to do";

/** [A2] Which other tasks the name may refer to. */
const theOthers = (others: readonly KeptBranch[]): Text | undefined =>
  others.length === 0
    ? undefined
    : phrase`an earlier task of this name has the branch ${others.at(-1)!.branch}: ${call("tasks.diff", { name: others.at(-1)!.id })}`;

/** Whether it may be changed: its task has finished, and it was neither merged nor discarded before. */
export function requireKept({ task, row, folder, others }: Found): void {
  const { name } = task;
  if (task.status !== "finished")
    throw new InboxError("invalid_state", `"${name}" is ${task.status}: its worktree is in use`, {
      hint: phrase`wait for its result, or kill it: ${ownCall("tasks.kill", { name })}`,
    });
  if (row.state === "planned")
    throw new InboxError("invalid_state", `"${name}" has no worktree: it finished before one was created`, {
      hint: phrase`${call("tasks.show", { name: idOf("task", task.task_number) })} says why`,
    });
  if (row.state === "empty")
    throw new InboxError(
      "invalid_state",
      `"${name}" has changed nothing: its worktree was removed when it finished`,
      {
        hint: theOthers(others) ?? nothingToDo,
      },
    );
  if (row.state === "merged" || row.state === "discarded")
    throw new InboxError("invalid_state", `the worktree of "${name}" was already ${row.state}`, {
      hint: theOthers(others) ?? nothingToDo,
    });
  if (row.path !== pathFor(task, folder))
    throw new InboxError(
      "invalid_state",
      `the worktree of "${name}" is in ${row.path}, not where this bus keeps them (${folder})`,
      {
        hint: "set XDG_STATE_HOME as it was when the task ran",
      },
    );
}
