/**
 * [U5] The file that all databases of a folder had as their journal up to version 0.1. It stays that of `coord.db`;
 * another database removes its lines from it, since they would outlive the entries that they are of.
 */
import { join } from "node:path";
import { knownAmong } from "../bus/entry-journal.ts";
import type { Engine } from "../engines/engine.ts";
import { locked } from "../platform/file-lock.ts";
import { isOwnFolder } from "../platform/own-files.ts";
import { exists, fs } from "../platform/system.ts";
import { askedAtOnce, idsIn, keepLines } from "./file.ts";
import { idIn } from "./line.ts";

export interface SharedJournal {
  folder: string;
  /** Which of these entries the database has that the file belongs to now: their lines stay. */
  kept(ids: readonly string[]): readonly string[];
}

const fileIn = ({ folder }: SharedJournal) => join(folder, "entries.jsonl");

/** Not if it is the journal itself, as in the data folder of a hub that contains the database. */
export const isShared = (shared: SharedJournal, journal: string): boolean =>
  isOwnFolder(shared.folder) &&
  exists(fileIn(shared)) &&
  !(exists(journal) && fs().realpathSync(journal) === fs().realpathSync(shared.folder));

/** The ids of its lines, except of entries of the database that it belongs to. */
export async function idsInShared(shared: SharedJournal): Promise<string[]> {
  const ids = await idsIn(fileIn(shared));
  for (const part of parts([...ids])) for (const id of shared.kept(part)) ids.delete(id);
  return [...ids];
}

/**
 * Removes the lines of entries that this bus has or had, or only `these`. Under the lock that every program takes to
 * write this file; a killed process leaves the old file or the new one, and the next one does the rest.
 */
export async function removeFromShared(
  shared: SharedJournal,
  engine: Engine,
  these?: ReadonlySet<string>,
): Promise<void> {
  const path = fileIn(shared);
  const { rmSync, statSync } = fs();
  await locked(join(shared.folder, "entries.lock"), async () => {
    rmSync(`${path}.tmp`, { force: true });
    const ids = await idsInShared(shared);
    const ours = new Set(these ? ids.filter((id) => these.has(id)) : await knownOf(engine, ids));
    if (ours.size) {
      await keepLines(path, (line) => !ours.has(idIn(line) ?? ""));
      // It may count the erased entries of this bus, and then says nothing about those of another.
      rmSync(join(shared.folder, "entries.mark"), { force: true });
    }
    if (statSync(path, { throwIfNoEntry: false })?.size !== 0) return;
    for (const name of ["entries.mark", "entries.jsonl"]) rmSync(join(shared.folder, name), { force: true });
  });
}

async function knownOf(engine: Engine, ids: readonly string[]): Promise<string[]> {
  const known: string[] = [];
  for (const part of parts(ids)) known.push(...(await engine.read(() => knownAmong(part))));
  return known;
}

function* parts(ids: readonly string[]): Generator<readonly string[]> {
  for (let at = 0; at < ids.length; at += askedAtOnce) yield ids.slice(at, at + askedAtOnce);
}
