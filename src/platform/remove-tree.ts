/**
 * Deletes a folder with everything in it; nothing happens if there is none. The runtime's own function stops without
 * an error, and leaves the rest, if another process deletes something in the folder at the same time.
 */
import { sleepSync } from "./runtime.ts";
import { fs, look } from "./system.ts";

/** Together about a second: a process that keeps writing there is not waited for longer. */
const pausesMs = [0, 1, 2, 5, 10, 20, 50, 100, 200, 300, 300];

export function removeTree(path: string): void {
  for (const pause of pausesMs) {
    fs().rmSync(path, { recursive: true, force: true });
    if (!look(path)) return;
    sleepSync(pause);
  }
  throw new Error(`${path} could not be deleted: another process keeps changing what is in it`);
}
