/** [S1] The database that a command uses. */
import type { BusFiles } from "../contract/document.ts";
import { InboxError } from "../contract/errors.ts";
import { call, option, phrase, type Reference, variable } from "../contract/phrase.ts";
import { withoutPassword } from "../contract/secret.ts";
import { engineAt, engines, fileTools, findEngine } from "../engines/registry.ts";
import { requireOwn, requireReadable } from "../platform/own-files.ts";
import { basename, dirname, join, resolve } from "../platform/path.ts";
import { exists, fs } from "../platform/system.ts";
import { type Environment, stateFolder } from "../platform/user-folders.ts";

/** Where a bus is in its folder. */
export const usualDatabase = join(".agents", "coord.db");

export interface Asked {
  /** The value of `--db`. */
  db?: string;
  /** The value of `--delivery`. */
  delivery?: string;
  env: Record<string, string | undefined>;
  cwd: string;
}

/** The database that is asked for, or the nearest one from the working directory upwards, as git finds `.git`. */
export function locate({ db, env, cwd }: Asked): string {
  const named = namedDatabase({ db, env, cwd });
  if (named !== undefined) return named;
  const found = nearest(cwd);
  if (found !== undefined) return found;
  throw new InboxError(
    "not_initialized",
    `there is no ${usualDatabase} in ${cwd} or in any folder above it`,
    {
      hint: phrase`${call("bus.init")} creates one here; ${option("db")} or ${variable("INBOX_DB")} selects another, or a hub: http://127.0.0.1:3456`,
    },
  );
}

/**
 * The address of a process that we start is visible in `ps`, so it has no password: the real one is passed in the
 * environment.
 */
export function unmasked(asked: Asked): Asked {
  const named = asked.env.INBOX_DB;
  return named && asked.db === withoutPassword(named) ? { ...asked, db: named } : asked;
}

/** [G3] The broker that carries mail: `--delivery`, else INBOX_DELIVERY, else none. */
export const brokerOf = (env: Asked["env"], named?: string): string | undefined =>
  (named ?? env.INBOX_DELIVERY) || undefined;

/** Whether a location is a hub rather than a file. */
export const isHub = (location: string) => /^https?:\/\//i.test(location);

/** The file that a database is in; none where a server has it. */
export const databaseFile = (location: string): string | undefined => engineAt(location).file(location);

/** False only if it is certain that there is no bus. */
export const mayExist = (location: string): boolean => engineAt(location).mayExist(location);

/** Whether a command has to close what it opened there before it ends. */
export const closedByCommands = (location: string): boolean =>
  findEngine(location)?.closedByCommands ?? false;

/**
 * [U5] The folder of the journal of entries, if the database is a file. Databases that share a folder each have their
 * own; that of the usual name keeps the folder that scripts know.
 */
export function journalBeside(location: string): string | undefined {
  const file = databaseFile(location);
  if (file === undefined) return undefined;
  return basename(file) === basename(usualDatabase) ? join(dirname(file), "inbox") : `${file}-inbox`;
}

/** [U5] The journal that the database shared with the others of its folder up to version 0.1: that of the usual one. */
export function sharedJournal(location: string): SharedJournal | undefined {
  const usual = besideDatabase(location, basename(usualDatabase));
  if (usual === undefined || usual === databaseFile(location)) return undefined;
  return {
    folder: join(dirname(usual), "inbox"),
    kept: (ids) => (exists(usual) ? fileTools().entriesAmong(usual, ids) : []),
  };
}

interface SharedJournal {
  folder: string;
  /** Which of these entries the usual database has. */
  kept(ids: readonly string[]): readonly string[];
}

/** The same for a hub's data folder, where one was given: the journal is in there, whatever the database is. */
export const journalIn = (location: string, dataDir: string | undefined): string | undefined =>
  dataDir === undefined ? journalBeside(location) : join(dataDir, "inbox");

/** The path of a file in the folder of a database; undefined if that is on a server. */
export function besideDatabase(location: string, name: string): string | undefined {
  const file = databaseFile(location);
  return file === undefined ? undefined : join(dirname(file), name);
}

/** The folder of a bus: beside the database file, else where programs of this user keep such files. */
export function folderOf(location: string, env: Environment, name: string): string {
  const file = databaseFile(location);
  if (file !== undefined) return `${file}-${name}`;
  return join(stateFolder(env), `${engineAt(location).pathName(location)}-${name}`);
}

/** Where a bus keeps its files; `journal` is the folder of its journal, if that is not beside the database. */
export const busFiles = (location: string, journal?: string): BusFiles => ({
  db: databaseFile(location),
  journal: journal ?? journalBeside(location),
});

/** Where `init` creates a bus: at the given path, else in this folder; and which bus above it is hidden by it. */
export function locateNew(asked: Asked): { path: string; outer?: string } {
  const named = namedDatabase(asked);
  if (named !== undefined) return { path: named };
  return { path: join(asked.cwd, usualDatabase), outer: nearest(dirname(asked.cwd)) };
}

/** Mail does not belong in a repository; other files of the folder, such as agents.toml, do. Returns the file it wrote. */
export function keepOutOfGit(path: string): string | undefined {
  if (!databaseFile(path)?.endsWith(`/${usualDatabase}`)) return undefined;
  const file = join(dirname(path), ".gitignore");
  try {
    fs().writeFileSync(file, "coord.db*\ninbox/\n.gitignore\n", { flag: "wx", mode: 0o600 });
    return file;
  } catch {
    // There is one already, which belongs to the user; or the folder accepts no more files, and the bus works without it.
    return undefined;
  }
}

/** The database of a hub: the one that is given or found, else a new one here. */
export function locateOrNew(asked: Asked): string {
  return namedDatabase(asked) ?? nearest(asked.cwd) ?? join(asked.cwd, usualDatabase);
}

function namedDatabase({ db, env, cwd }: Asked): string | undefined {
  const named = db ?? (env.INBOX_DB || undefined);
  return named === undefined
    ? undefined
    : placeNamed(named, db === undefined ? variable("INBOX_DB") : option("db"), cwd);
}

/** What a name refers to, from any flag or variable (`source`). */
export function placeNamed(named: string, source: Reference, cwd: string): string {
  if (named === "" || named.includes("\u0000"))
    throw new InboxError(
      "invalid_input",
      phrase`${source} must be the path of a database file, or an address`,
    );
  const scheme = /^([a-z]+):\/\//i.exec(named)?.[1];
  if (isHub(named)) {
    if (!URL.canParse(named) || /\s/.test(named))
      throw new InboxError(
        "invalid_input",
        phrase`${source} ${withoutPassword(named)} is not the address of a hub`,
        {
          hint: "for example http://127.0.0.1:3456",
        },
      );
    return named;
  }
  const engine = findEngine(named);
  if (!engine)
    throw new InboxError(
      "invalid_input",
      phrase`${source} ${withoutPassword(named)}: a database is ${engines.map(({ looksLike }) => looksLike).join(", ")} or a hub (http://), not ${scheme ?? ""}://`,
      {
        hint: phrase`give a file, for example ${source.is === "variable" ? option("db") : source} .agents/coord.db`,
      },
    );
  return engine.file(named) === undefined ? named : resolve(cwd, named);
}

function nearest(from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const path = join(folder, usualDatabase);
    if (exists(path)) {
      // [X8] A link would make this folder's bus another one's, and that one's programs this folder's.
      requireOwn(dirname(path), "folder");
      return path;
    }
    requireReadable(dirname(path));
    if (dirname(folder) === folder) return undefined;
  }
}
