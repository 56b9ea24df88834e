/** Notifications about changes to a file or a folder. */
import type { FSWatcher } from "node:fs";
import { isPortable } from "./portable.ts";
import { fs } from "./system.ts";

/** Whether a watch reports every change. Elsewhere it is only a hint, and callers must check regularly. */
export const tellsAll = () => !isPortable();

/** Throws if no watch is available. */
export function watch(path: string, listener: () => void): FSWatcher {
  // The portable way on Linux is a system without inotify.
  if (isPortable() && process.platform === "linux") throw new Error("there are no watches");
  return fs().watch(path, listener);
}
