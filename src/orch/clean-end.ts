/** [Q17] Whether a task has left nothing in its keeper and below it: only then may the keeper take another task. */
import type { Guard } from "./guard.ts";
import { isAlone } from "./kill-tree.ts";
import { startedHere } from "./spawn.ts";

/**
 * Bytes. A keeper that has grown by a flood of output would stay that large while the next task runs; a small one has
 * a third of this.
 */
const mostMemory = 192 * 1024 * 1024;

/** A task that was ended by force may have left something unexpected; so may one with an unanswered question. */
export const isCleanEnd = ({ signal }: Guard, questions: { open: number }): boolean =>
  !signal.aborted && questions.open === 0 && isAlone(startedHere) && process.memoryUsage.rss() < mostMemory;
