/** [A2] Deleting what a task has changed. */

import { firstLine } from "../../bus/message.ts";
import { settleWorktree } from "../../bus/tasks/worktrees.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Engine } from "../../engines/engine.ts";
import { gather } from "../worktree/gather.ts";
import { oneAtATime } from "../worktree/lock.ts";
import { removeWorktree } from "../worktree/make.ts";
import { findWorktree, requireKept } from "./ended-worktree.ts";
import type { Workplace } from "./place.ts";
import { profileOf } from "./task-program.ts";

export async function discard(
  engine: Engine,
  place: Workplace,
  { agent, name }: ParsedOf<"tasks.discard">,
): Promise<OutputOf<"tasks.discard">> {
  const {
    folder,
    row: { repository },
  } = await findWorktree(engine, place, name);
  return oneAtATime({ folder, repository }, async () => {
    const found = await findWorktree(engine, place, name);
    requireKept(found);
    const { task, row, others } = found;
    // Uncommitted changes can be restored, too, for as long as git keeps unreferenced commits.
    const share = profileOf(place, task)?.share ?? [];
    const left = await gather(row, share, `${task.name}: ${firstLine(task.prompt)}`).catch(() => undefined);
    const tip = left?.changed.tip ?? row.tip;
    await engine.write((tx) => settleWorktree(tx, task, agent, { state: "discarded", tip }));
    await removeWorktree(row);
    return { branch: row.branch, commit: tip, others };
  });
}
