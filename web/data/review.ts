/** [U14] What a task has changed, and what becomes of it. */
import type { OutputOf } from "../../src/contract/operations/index.ts";
import { api, me } from "./api.ts";
import { ownedBy, type Task } from "./tasks.ts";

export type Diff = OutputOf<"tasks.diff">;
export type Merged = OutputOf<"tasks.merge">;

export interface MergeOptions {
  how: "merge" | "squash" | "rebase";
  into: string;
  updateCheckout: boolean;
  /** What does not work is only reported: the sub-agent does not go on with it. */
  noResume: boolean;
}

export const diffOf = ({ id }: Task) => api.tasks.diff({ name: id });

/** In the person's name, not that of the queue's owner: where that is somebody else, it hears of what did not work. */
export const merge = (task: Task, { how, into, updateCheckout, noResume }: MergeOptions): Promise<Merged> =>
  api.tasks.merge({
    ...ownedBy(me),
    name: task.id,
    ...(into && { into }),
    squash: how === "squash",
    rebase: how === "rebase",
    updateCheckout,
    noResume,
  });

export const discard = (task: Task) => api.tasks.discard({ ...ownedBy(me), name: task.id });
