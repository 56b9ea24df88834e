/** Being told of changes to a file or a folder. */
import type { FSWatcher } from "node:fs";
import { isPortable } from "./portable.ts";
import { fs } from "./system.ts";

/** Whether a watch tells of every change. Elsewhere it is only a hint, and whoever must know looks now and then. */
export const tellsAll = () => !isPortable();

/** Throws where there is none to be had. */
export function watch(path: string, listener: () => void): FSWatcher {
  // Linux the portable way is a system without inotify.
  if (isPortable() && process.platform === "linux") throw new Error("there are no watches");
  return fs().watch(path, listener);
}
