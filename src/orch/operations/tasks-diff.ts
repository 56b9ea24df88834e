/** [A2] Showing what a task has changed. */
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Engine } from "../../engines/engine.ts";
import { changesIn } from "../worktree/changes.ts";
import { findWorktree } from "./ended-worktree.ts";
import type { Workplace } from "./place.ts";
import { profileOf } from "./task-program.ts";

/** Bytes of a patch that are shown. */
const patchLimit = 1024 * 1024;

export async function diffOf(
  engine: Engine,
  place: Workplace,
  { name }: ParsedOf<"tasks.diff">,
): Promise<OutputOf<"tasks.diff">> {
  const { task, row, others } = await findWorktree(engine, place, name);
  const changes = await changesIn(row, { share: profileOf(place, task)?.share, limit: patchLimit });
  return { ...changes, others };
}
