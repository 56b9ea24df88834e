/** [U2] What of a folder is the bus's own, and so no document: mail, tokens' hashes, transcripts, what agents are started with. */
import type { Stats } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import type { BusFiles } from "../contract/document.ts";
import { InboxError } from "../contract/errors.ts";
import { fs } from "../platform/system.ts";

const folderName = ".agents";

/** Whether a file is the bus's, by where it really lies, and by which file it is: a second name makes no other of it. */
export function isOfBus({ db, journal }: BusFiles, place: string, { dev, ino }: Stats): boolean {
  if (place.toLowerCase().split(sep).includes(folderName)) return true;
  if (journal !== undefined && place.startsWith(real(journal) + sep)) return true;
  if (db === undefined) return false;
  // Beside it: `-wal`, `-shm`, `-wake`, `-tasks`, and copies, `.before-v…`.
  const file = real(db);
  // Up to version 0.1 every database of the folder had its journal there.
  if (dirname(place) === real(join(dirname(file), "inbox")) && basename(place).startsWith("entries."))
    return true;
  if (place === file || place.startsWith(`${file}-`) || place.startsWith(`${file}.before-v`)) return true;
  return ["", "-wal", "-shm"].some((ending) => {
    const found = fs().statSync(file + ending, { throwIfNoEntry: false });
    return found !== undefined && found.dev === dev && found.ino === ino;
  });
}

/** [U2] Where a workspace really is, which is what it is registered by. */
export function realFolder(path: string): string {
  const place = real(path);
  if (place.toLowerCase().split(sep).includes(folderName))
    throw new InboxError(
      "invalid_input",
      `${path} is inside a folder of the bus itself, which is never shown`,
      {
        hint: `choose a folder outside ${folderName}`,
      },
    );
  return place;
}

/** A path without links in it; what is not there yet lies in a folder that is. */
export function real(path: string): string {
  try {
    return fs().realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(real(parent), basename(path));
  }
}
