/**
 * How a short command leaves its database. The runtime closes every database at exit, and the last one to close
 * copies the log back and deletes it: four of the five fsyncs of a single `inbox send`. What was committed is durable
 * in the log, so a command that exits leaves it there, and the next one appends to it.
 */
import { exists, exitAtOnce, sizeOf } from "../../platform/system.ts";

/**
 * The first process that opens the file reads the whole log: 1,000 pages take 1.3 ms, and to copy it back takes 3 ms. A message is
 * about nine pages, so one command in thirty copies the log back, and the others read 0.2 ms of it.
 */
const logLimit = 1024 * 1024;

/** From now on, exiting leaves the log as it is, unless it has grown. */
export function leaveLogBehind(path: string): void {
  process.once("exit", (code) => {
    const log = `${path}-wal`;
    if (exists(log) && sizeOf(log) < logLimit) exitAtOnce(code);
  });
}
