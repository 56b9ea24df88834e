/**
 * [I5] Where orphans are not adopted, a keeper looks now and then at what runs below it. What it has seen stays the task's when
 * its parent ends; and it is written down, for whoever clears up after a keeper that died.
 */
import { readOwn, replaceOwn } from "../platform/own-files.ts";
import { isAdopting } from "../platform/processes/brand.ts";
import { below, Looks, type Seen, type Tree } from "./find-tree.ts";
import { seenFile } from "./paths.ts";

/** Looks now, and writes it down where it is news. */
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
    // A full disk: it is found by its marks.
  }
}

/** What a keeper had seen; nothing where it had no need to look. */
export function seenIn(folder: string | null): Seen {
  try {
    return new Map(JSON.parse((folder !== null && readOwn(seenFile(folder))) || "[]"));
  } catch {
    return new Map();
  }
}
