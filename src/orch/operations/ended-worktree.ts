/** [A1] The worktree of a task, for those that look at it, merge it or delete it. */
import { findTask, type TaskRow } from "../../bus/task.ts";
import { worktreeOf } from "../../bus/worktree.ts";
import { InboxError } from "../../contract/errors.ts";
import { call, phrase } from "../../contract/phrase.ts";
import { shellWord } from "../../contract/shell-word.ts";
import type { Engine } from "../../engines/engine.ts";
import { thisHost, worktreesFolder } from "../paths.ts";
import type { Profile } from "../profiles/profile.ts";
import type { MadeWorktree } from "../worktree/changes.ts";
import { pathFor } from "../worktree/make.ts";
import { profilesAt, type Workplace } from "./place.ts";

/** A worktree that was made, on this machine. */
export interface Found {
  task: TaskRow;
  row: MadeWorktree;
  /** The folder of all worktrees of the bus. */
  folder: string;
}

export async function findWorktree(engine: Engine, { db }: Workplace, name: string): Promise<Found> {
  const { task, row } = await engine.read(function* () {
    const task = yield* findTask(name);
    return { task, row: yield* worktreeOf(task.task_number) };
  });
  if (!row)
    throw new InboxError(
      "invalid_state",
      `"${name}" has no worktree of its own: it works directly in ${task.cwd}`,
      {
        hint: `its changes are in ${task.cwd}: git -C ${shellWord(task.cwd)} diff shows them`,
      },
    );
  const { branch, path } = row;
  if (branch === null || path === null)
    throw new InboxError("invalid_state", `"${name}" has no worktree yet: it is ${task.status}`, {
      hint: phrase`${call("tasks.queue")} shows what runs`,
    });
  if (task.host !== null && task.host !== thisHost())
    throw new InboxError("not_found", `the worktree of "${name}" is on ${task.host}, not here`, {
      hint: phrase`ask there, or the hub that runs there: ${call("tasks.diff", { name }, { db: `http://${task.host}:PORT` })}`,
    });
  return { task, row: { ...row, branch, path }, folder: worktreesFolder(db, process.env) };
}

/** Where it may be changed: its task has ended, and nobody has settled it before. */
export function requireKept({ task, row, folder }: Found): void {
  const { name } = task;
  if (task.status !== "finished")
    throw new InboxError("invalid_state", `"${name}" is ${task.status}: its worktree is in use`, {
      hint: phrase`wait for its result, or kill it: ${call("tasks.kill", { name })}`,
    });
  if (row.state === "planned")
    throw new InboxError("invalid_state", `"${name}" has no worktree: it finished before one was created`, {
      hint: phrase`${call("tasks.show", { name })} says why`,
    });
  if (row.state === "empty")
    throw new InboxError(
      "invalid_state",
      `"${name}" has changed nothing: its worktree was removed when it finished`,
      {
        hint: "there is nothing to do",
      },
    );
  if (row.state === "merged" || row.state === "discarded")
    throw new InboxError("invalid_state", `the worktree of "${name}" was already ${row.state}`, {
      hint: "there is nothing to do",
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

/** What its profile says now; nothing where it is gone or holds a mistake. */
export function profileOf(place: Workplace, { profile }: TaskRow): Profile | undefined {
  const { all } = profilesAt(place).profiles;
  return profile === null ? undefined : all.get(profile);
}
