/**
 * [S5] [N4.6] The folder of a database file. Only one that the program has made for a bus is its own to change: any other is
 * somebody's working folder, or one that many share.
 */
import { basename, dirname } from "node:path";
import { type Finding, well } from "../contract/finding.ts";
import { shellWord } from "../contract/shell-word.ts";
import { databaseFile, journalBeside, usualDatabase } from "../location/locate.ts";
import { profilesFile } from "../orch/paths.ts";
import { fs, look } from "../platform/system.ts";

const name = "folder";
const danger =
  "is writable by everybody, without the sticky bit: any user can remove or replace the database";
const ownMode = 0o700;

export function folderFindings(location: string): Finding[] {
  const file = databaseFile(location);
  if (file === undefined) return [];
  const folder = dirname(file);
  const mode = fs().statSync(folder).mode & 0o7777;
  const detail = `${folder} is ${octal(mode)}`;
  if ((mode & 0o077) !== 0 && isOfBusOnly(folder, file))
    return [
      {
        ...{ name, status: "warn", detail: `${detail}: others may list what is in it` },
        fix: `chmod ${octal(ownMode)} ${shellWord(folder)}`,
        repair: () => narrow(folder, mode),
      },
    ];
  const open = openTo(folder);
  if (open === undefined) return [well(name, detail)];
  return [
    {
      ...{ name, status: "warn", detail: `${detail}; ${open} ${danger}` },
      fix: `chmod +t ${shellWord(open)}, or chmod o-w ${shellWord(open)}, or use a database in a folder of your own`,
      left: "other users may need that folder as it is",
    },
  ];
}

const octal = (mode: number) => mode.toString(8).padStart(4, "0");

/** The `.agents` of this user, with nothing in it but what the program puts there. */
function isOfBusOnly(folder: string, file: string): boolean {
  const found = look(folder);
  if (basename(folder) !== dirname(usualDatabase) || found?.kind !== "folder") return false;
  if (found.owner !== process.geteuid?.()) return false;
  const others = new Set([".gitignore", basename(profilesFile(file, {})), basename(usualDatabase)]);
  const journal = journalBeside(file);
  if (journal !== undefined) others.add(basename(journal));
  const ofDatabase = basename(file);
  return fs()
    .readdirSync(folder)
    .every((entry) => others.has(entry) || entry === ofDatabase || entry.startsWith(`${ofDatabase}-`));
}

/** By the folder that is opened: nobody can put another in its place meanwhile. */
function narrow(folder: string, mode: number): string {
  const { closeSync, constants, fchmodSync, openSync } = fs();
  const handle = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    fchmodSync(handle, mode & ownMode);
  } finally {
    closeSync(handle);
  }
  return `set ${folder} to ${octal(mode & ownMode)}`;
}

/** The nearest folder on the way to it in which everybody can rename what belongs to others. */
function openTo(folder: string): string | undefined {
  for (let place = fs().realpathSync(folder); ; place = dirname(place)) {
    const mode = fs().statSync(place).mode;
    if ((mode & 0o002) !== 0 && (mode & 0o1000) === 0) return place;
    if (place === dirname(place)) return undefined;
  }
}
