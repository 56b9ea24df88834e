/** The verdict on a history: every violation, the one with the shortest history first. */
import { collectedTwice, numberedBackwards, outOfOrder, overtaken } from "./collected.ts";
import { skippedByCursor, skippedByReader, skippedEvent, staleRead } from "./cursors.ts";
import { type Check, describe, type History, type Violation } from "./history.ts";
import { endedTwice, endUndone, notFenced, twoHolders } from "./holders.ts";
import { collectedByNobody, keyForgotten, lost, refusedButWritten, writtenTwice } from "./lost.ts";
import { outsideSchema } from "./schema.ts";
import { stuckMail, stuckThread } from "./stuck.ts";
import { reportedOnce } from "./tasks.ts";
import { internalError, lateAnswer, slowRecovery, slowWake } from "./times.ts";

export const checks: readonly Check[] = [
  lost,
  refusedButWritten,
  collectedByNobody,
  writtenTwice,
  keyForgotten,
  collectedTwice,
  overtaken,
  outOfOrder,
  numberedBackwards,
  twoHolders,
  notFenced,
  endedTwice,
  endUndone,
  skippedByCursor,
  skippedByReader,
  skippedEvent,
  staleRead,
  stuckMail,
  stuckThread,
  reportedOnce,
  outsideSchema,
  internalError,
  lateAnswer,
  slowWake,
  slowRecovery,
];

export function verdict(history: History): Violation[] {
  return checks.flatMap((check) => check(history)).toSorted((a, b) => a.witness.length - b.witness.length);
}

/** What happened, as the calls that show it. */
export function explain({ kind, text, witness }: Violation): string {
  const ordered = [...new Set(witness)].sort((a, b) => a.at - b.at);
  const start = ordered[0]?.at ?? 0;
  return [`${kind}: ${text}`, ...ordered.map((op) => describe(op, start))].join("\n");
}
