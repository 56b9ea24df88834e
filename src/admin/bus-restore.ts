/** [Y6] `inbox restore`: a bus out of a backup, once all of it has been checked. */
import { dirname, join, resolve } from "node:path";
import * as v from "valibot";
import { InboxError } from "../contract/errors.ts";
import type { OutputOf, ParsedOf } from "../contract/operations/index.ts";
import { blank, call, field, option, phrase } from "../contract/phrase.ts";
import { withoutPassword } from "../contract/secret.ts";
import { fileSchemaVersion, fileTools, serverTools } from "../engines/registry.ts";
import { isMarked } from "../location/backup-mark.ts";
import { type Asked, databaseFile, journalIn, locateOrNew } from "../location/locate.ts";
import { isBusTrusted, trustBus } from "../location/trust.ts";
import { isUsersOwn, profilesFile, taskFolder, tasksFolder, thisHost } from "../orch/paths.ts";
import { whyNoFile } from "../platform/file-lines.ts";
import { makeOwnFolder, readOwn } from "../platform/own-files.ts";
import { fs, look } from "../platform/system.ts";
import { type Found, readTar, TarError } from "../platform/tar.ts";
import { type Procedure, run } from "../sql/procedure.ts";
import { sql } from "../sql/sql.ts";
import {
  databasePart,
  isKeptInMemory,
  isPart,
  journalPart,
  journalParts,
  type Manifest,
  manifestPart,
  manifestSchema,
  markPart,
  profilesPart,
  taskOf,
} from "./backup-parts.ts";
import { beginsExport, exportBegin } from "./export-format.ts";
import { occupantOf, type Prepared, prepareBus } from "./install-bus.ts";
import { requireDatabase } from "./require-database.ts";
import { requireUnused } from "./serving.ts";
import { warnOfTokens } from "./token-warning.ts";
import { besideBus, withWorkFolder } from "./work-folder.ts";

type Output = OutputOf<"bus.restore">;

export async function busRestore(asked: Asked, input: ParsedOf<"bus.restore">): Promise<Output> {
  const location = locateOrNew(asked);
  requireDatabase("restore", location, "run it where the hub runs, while that is stopped");
  if (input.file === "-")
    throw new InboxError("invalid_input", "a backup cannot be read from standard input", {
      hint: "save it to a file and pass its path",
    });
  const file = resolve(asked.cwd, input.file);
  const { env } = asked;
  const unused = () => requireUnused(location, env);
  await unused();
  return await withWorkFolder(besideBus(location, env), async (folder) => {
    const archive = extracted(file, folder, env);
    const { manifest, marked } = archive;
    const around = surroundings(location, env, input.dataDir, folder);
    const occupant = await occupantOf(location);
    const there = [
      ...(occupant.state === "used" || occupant.state === "unreadable" ? [withoutPassword(location)] : []),
      ...around.filter(({ to }) => look(to) !== undefined).map(({ to }) => to),
    ];
    if (there.length && !input.force) throw occupied(there);
    const stamp = new Date().toISOString().replace(/[-:]|\.\d+/g, "");
    const { busId, createdAt } = manifest;
    const prepared = await prepareBus({
      from: join(folder, databasePart),
      busId,
      location,
      occupant,
      folder,
      keptAs: keptName(location, stamp),
      adjust: () => adopt(tasksFolder(location, env), archive.tasks),
    });
    const kept = await place(prepared, around, stamp, unused);
    const warnings = restoreProfiles(join(folder, profilesPart), profilesFile(location, env), {
      env,
      marked,
    });
    if (marked) trustBus(location, env);
    else warnings.push(...(await warnOfTokens(location)));
    const told = { db: withoutPassword(location), file, busId, createdAt, rows: prepared.rows, kept };
    const trusted = isBusTrusted(location, env);
    return { ...told, trusted, ...(warnings.length > 0 && { warnings }) };
  });
}

const keptName = (location: string, stamp: string) =>
  databaseFile(location) === undefined
    ? `${serverTools().schemaOf(location).slice(0, 40)}_before_${stamp.toLowerCase()}`
    : `${location}.before-${stamp}`;

/** The bus comes last: once it is there, everything is. */
async function place(
  prepared: Prepared,
  around: readonly Placed[],
  stamp: string,
  unused: () => Promise<void>,
): Promise<string[]> {
  const moves: Placed[] = [];
  const move = (from: string, to: string) => {
    fs().renameSync(from, to);
    moves.push({ from, to });
  };
  try {
    const kept = putAround(around, stamp, move);
    await unused();
    await prepared.place();
    return prepared.kept === undefined ? kept : [prepared.kept, ...kept];
  } catch (error) {
    for (const { from, to } of moves.toReversed()) fs().renameSync(to, from);
    await prepared.discard();
    throw error;
  }
}

interface Extracted {
  manifest: Manifest;
  /** Whether this user has made it on this machine, from a bus that was approved. */
  marked: boolean;
  /** The numbers of tasks whose transcripts it has. */
  tasks: ReadonlySet<string>;
}

/** Extracts every part into the folder and compares all of them with the list at the end. */
function extracted(file: string, folder: string, env: Asked["env"]): Extracted {
  const { closeSync, constants, openSync, fstatSync, mkdirSync } = fs();
  const trouble = whyNoFile(file);
  if (trouble)
    throw new InboxError("not_found", trouble, {
      hint: phrase`give a file written by ${call("bus.backup", { file: blank("FILE") }, { db: false })}`,
    });
  const opened = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!fstatSync(opened).isFile()) throw new TarError("it is not a file");
    const found = readTar(opened, (name) => {
      if (!isPart(name)) throw new TarError(`${JSON.stringify(name)} is not a part of a backup`);
      if (isKeptInMemory(name)) return "memory";
      mkdirSync(dirname(join(folder, name)), { recursive: true, mode: 0o700 });
      return join(folder, name);
    });
    const text = (wanted: string) => found.find(({ name }) => name === wanted)?.text;
    const manifest = manifestIn(text(manifestPart));
    const parts = found.filter(({ name }) => !isKeptInMemory(name));
    compare(manifest, parts);
    const problem = fileTools().problemIn(join(folder, databasePart));
    if (problem !== undefined) throw new TarError(problem);
    const tasks = new Set(parts.map(({ name }) => taskOf(name)).filter((number) => number !== undefined));
    return { manifest, marked: isMarked(text(manifestPart)!, text(markPart), env), tasks };
  } catch (error) {
    if (error instanceof TarError) throw isExport(opened) ? exported(file) : unusable(file, error.message);
    throw error;
  } finally {
    closeSync(opened);
  }
}

function manifestIn(text: string | undefined): Manifest {
  if (text === undefined)
    throw new TarError("it has no list of its parts: it is incomplete, or it is not a backup");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new TarError("its list of parts is damaged");
  }
  const { version, schemaVersion } = Object(value) as Partial<Manifest>;
  const parsed = v.safeParse(manifestSchema(), value);
  if (!parsed.success)
    throw new TarError(
      typeof version === "number" && version > 1
        ? `it has format version ${version}, and this program knows 1: install a newer inbox`
        : "its list of parts is not one that this program writes",
    );
  if (schemaVersion! > fileSchemaVersion)
    throw new TarError(
      `it has schema version ${schemaVersion}, and this program knows ${fileSchemaVersion}: install a newer inbox`,
    );
  return parsed.output;
}

function compare({ parts: listed }: Manifest, found: readonly Found[]): void {
  const wanted = new Map(listed.map((part) => [part.name, part]));
  for (const { name, bytes, sha256 } of found) {
    const part = wanted.get(name);
    if (!part) throw new TarError(`${name} is not in its list of parts`);
    if (part.bytes !== bytes || part.sha256 !== sha256)
      throw new TarError(`${name} is damaged: its checksum does not match`);
    wanted.delete(name);
  }
  const [missing] = wanted.keys();
  if (missing !== undefined) throw new TarError(`${missing} is missing`);
  if (!found.some(({ name }) => name === databasePart)) throw new TarError("it has no database");
}

const unusable = (file: string, why: string) =>
  new InboxError("invalid_input", `${file} cannot be restored: ${why}; nothing was changed`, {
    hint: phrase`use another backup; ${call("bus.backup", { file: blank("FILE") }, { db: false })} writes one`,
  });

function isExport(opened: number): boolean {
  const begin = Buffer.alloc(exportBegin);
  return (
    fs().fstatSync(opened).isFile() &&
    beginsExport(begin.subarray(0, fs().readSync(opened, begin, 0, begin.length, 0)))
  );
}

const exported = (file: string) =>
  new InboxError(
    "invalid_input",
    `${file} cannot be restored: it is an export, not a backup; nothing was changed`,
    { hint: phrase`${call("bus.import", { file })} imports it` },
  );

const occupied = (there: readonly string[]) =>
  new InboxError(
    "conflict",
    `${there.join(" and ")} already ${there.length > 1 ? "exist" : "exists"}; nothing was changed`,
    {
      hint: phrase`add ${field("force")} to replace this bus and keep it under another name, or restore to another database with ${option("db", blank("PATH"))}`,
      details: { there },
    },
  );

interface Placed {
  from: string;
  to: string;
}

/** What belongs to the bus beside its database. */
function surroundings(
  location: string,
  env: Asked["env"],
  dataDir: string | undefined,
  folder: string,
): Placed[] {
  const journal = journalIn(location, dataDir);
  const lines = journal === undefined ? [] : journalParts;
  return [
    ...lines.map((name) => ({ from: join(folder, journalPart(name)), to: join(journal!, name) })),
    { from: join(folder, "tasks"), to: tasksFolder(location, env) },
  ];
}

/** Also if the backup has none: the file there belongs to the bus that is replaced. */
function putAround(
  around: readonly Placed[],
  stamp: string,
  move: (from: string, to: string) => void,
): string[] {
  const kept: string[] = [];
  for (const { from, to } of around) {
    if (look(to)) {
      const aside = `${to}.before-${stamp}`;
      move(to, aside);
      kept.push(aside);
    }
    if (!look(from)) continue;
    makeOwnFolder(dirname(to));
    move(from, to);
  }
  return kept;
}

/**
 * [X7] An existing file is kept: it is often in a repository. Beside a database a new one must be approved like any
 * other; the user's own, which needs no approval, is only restored from a backup of this user.
 */
function restoreProfiles(
  from: string,
  to: string,
  { env, marked }: { env: Asked["env"]; marked: boolean },
): string[] {
  const text = readOwn(from);
  if (text === undefined || readOwn(to) === text) return [];
  if (look(to) || (isUsersOwn(to, env) && !marked))
    return [`${to} was not changed; the backup has a different one: tar -xf extracts ${profilesPart}`];
  makeOwnFolder(dirname(to));
  fs().renameSync(from, to);
  return [];
}

/** Transcripts are on this machine now, wherever they were. */
function* adopt(tasks: string, numbers: ReadonlySet<string>): Procedure<void> {
  for (const number of numbers)
    yield* run(sql`update tasks set folder = ${taskFolder(tasks, Number(number))}, host = ${thisHost()}
      where task_number = ${Number(number)} and folder is not null`);
}
