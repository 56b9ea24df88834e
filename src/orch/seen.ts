/**
 * [I5] Where orphans are not adopted, a keeper looks regularly at the processes below it. A process that it has seen
 * still belongs to the task when its parent exits. The list is also written to disk, for recovery after the keeper
 * has died.
 */
import { readOwn, replaceOwn } from "../platform/own-files.ts";
import { isAdopting } from "../platform/processes/brand.ts";
import { below, Looks, type Seen, type Tree } from "./find-tree.ts";
import { seenFile } from "./paths.ts";

/** Looks now, and writes the list if it has changed. */
export function noteSeen(tree: Tree, folder: string): void {
  if (isAdopting() || !tree.seen) return;
  const before = JSON.stringify([...tree.seen]);
  const looks = new Looks();
  looks.begin();
  below(tree, looks);
  const text = JSON.stringify([...tree.seen]);
  if (text === before) return;
  try {
    replaceOwn(seenFile(folder), text);
  } catch {
    // The disk is full: the processes are still found by their marks.
  }
}

/** The processes that a keeper had seen; empty if it did not need to look. */
export function seenIn(folder: string | null): Seen {
  try {
    return new Map(JSON.parse((folder !== null && readOwn(seenFile(folder))) || "[]"));
  } catch {
    return new Map();
  }
}
