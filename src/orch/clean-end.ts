/** [Q17] Whether a task has left nothing in its keeper and below it: then the keeper may take another. */
import type { Guard } from "./guard.ts";
import { isAlone } from "./kill-tree.ts";
import { startedHere } from "./spawn.ts";

/** Bytes. One that a flood of output has grown would stay that large for as long as the next task runs; a small one has a third. */
const mostMemory = 192 * 1024 * 1024;

/** What was ended by force may have left something that nobody thinks of; and so may what still waits for an answer. */
export const isCleanEnd = ({ signal }: Guard, questions: { open: number }): boolean =>
  !signal.aborted && questions.open === 0 && isAlone(startedHere) && process.memoryUsage.rss() < mostMemory;
