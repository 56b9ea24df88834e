/**
 * Changes of documents as they happen. Editors replace a file rather than write to it, and folders come and go, so
 * the folder of a document is watched, and everything is checked again regularly: a watch is only a hint.
 */
import type { FSWatcher } from "node:fs";
import { dirname, join } from "node:path";
import type { DocumentState } from "../contract/document.ts";
import { fs } from "../platform/system.ts";
import { watch } from "../platform/watch.ts";
import type { Confines } from "./confined.ts";
import { statesOf } from "./states.ts";

const slowCheckMs = 2000;
/** An editor writes, renames and sets times in a row: this counts as one change. */
const settleMs = 30;

/** Reports every document at once, and each that changes later, until the returned function is called. */
export function watchDocuments(
  confines: Confines,
  docs: readonly { path: string }[],
  tell: (state: DocumentState) => void,
): () => void {
  const known = new Map<number, string>();
  const watchers = new Map<string, { watcher: FSWatcher; inode: number }>();
  let settling: Timer | undefined;

  function look(): void {
    settling = undefined;
    watchFolders(); // first: a change after the check must be noticed
    for (const state of statesOf(docs, confines)) {
      const text = JSON.stringify(state);
      if (known.get(state.n) === text) continue;
      known.set(state.n, text);
      tell(state);
    }
  }

  const hint = () => {
    settling ??= setTimeout(look, settleMs);
  };

  function watchFolders(): void {
    for (const folder of new Set(docs.map(({ path }) => dirname(join(confines.root, path))))) {
      const inode = fs().statSync(folder, { throwIfNoEntry: false })?.ino;
      // If a folder is replaced, its watcher gets no more events and no error.
      if (watchers.has(folder) && watchers.get(folder)!.inode !== inode) forget(folder);
      if (inode === undefined || watchers.has(folder)) continue;
      try {
        const watcher = watch(folder, hint);
        watcher.on("error", () => forget(folder));
        watchers.set(folder, { watcher, inode });
      } catch {
        // Missing, or no watches left: the slow check notices it too.
      }
    }
  }

  function forget(folder: string): void {
    watchers.get(folder)?.watcher.close();
    watchers.delete(folder);
  }

  look();
  const slow = setInterval(look, slowCheckMs);
  return () => {
    clearInterval(slow);
    clearTimeout(settling);
    for (const folder of [...watchers.keys()]) forget(folder);
  };
}
