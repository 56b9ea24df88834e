/** [Y6] `inbox backup`: a bus and all that belongs to it, in one file. */
import { basename, join } from "node:path";
import { InboxError } from "../contract/errors.ts";
import type { OutputOf, ParsedOf } from "../contract/operations/index.ts";
import { call, phrase } from "../contract/phrase.ts";
import { withoutPassword } from "../contract/secret.ts";
import { fileSchemaVersion } from "../engines/registry.ts";
import { markOf } from "../location/backup-mark.ts";
import { type Asked, journalIn, locate } from "../location/locate.ts";
import { isBusTrusted } from "../location/trust.ts";
import { profilesFile, taskFolder, tasksFolder } from "../orch/paths.ts";
import { openOwn, openOwnNew } from "../platform/own-files.ts";
import { fs, look } from "../platform/system.ts";
import { TarWriter } from "../platform/tar.ts";
import { version } from "../version.ts";
import {
  databasePart,
  formatName,
  formatPart,
  formatVersion,
  journalPart,
  journalParts,
  type Manifest,
  manifestPart,
  markPart,
  profilesPart,
  taskPart,
  taskParts,
} from "./backup-parts.ts";
import { requireDatabase } from "./require-database.ts";
import { type Snapshot, snapshotInto } from "./snapshot.ts";
import { fileToWrite, publish, requireReplaceable, withWorkFolder } from "./work-folder.ts";

interface Archiving {
  location: string;
  env: Asked["env"];
  journal: string | undefined;
  tar: TarWriter;
  warnings: string[];
}

export async function busBackup(
  asked: Asked,
  input: ParsedOf<"bus.backup">,
): Promise<OutputOf<"bus.backup">> {
  const location = locate(asked);
  requireDatabase("backup", location, "run it where the hub runs; its /healthz names the database");
  if (input.file === "-")
    throw new InboxError("invalid_input", "a backup cannot be written to standard output", {
      hint: phrase`give a file; ${call("bus.export", { file: "-" })} writes JSON lines to standard output`,
    });
  const file = fileToWrite(asked.cwd, input.file);
  requireReplaceable(file, isBackup, "a backup");
  const warnings: string[] = [];
  return await withWorkFolder(file, async (folder) => {
    const archive = join(folder, basename(file));
    const opened = openOwnNew(archive);
    try {
      const tar = new TarWriter(opened);
      const journal = journalIn(location, input.dataDir);
      const archiving = { location, env: asked.env, journal, tar, warnings };
      const { busId, rows } = await addParts(archiving, folder);
      const manifest = {
        format: formatName,
        version: formatVersion,
        program: version,
        createdAt: new Date().toISOString(),
        db: withoutPassword(location),
        busId,
        schemaVersion: fileSchemaVersion,
        rows,
        parts: tar.members.slice(1),
      } satisfies Manifest;
      seal(archiving, manifest);
      fs().fsyncSync(opened);
      const bytes = fs().fstatSync(opened).size;
      publish(archive, file, isBackup, "a backup");
      const { createdAt, db, schemaVersion, parts } = manifest;
      const told = { file, db, busId, schemaVersion, rows, parts: parts.length, bytes, createdAt };
      return { ...told, ...(warnings.length > 0 && { warnings }) };
    } finally {
      fs().closeSync(opened);
    }
  });
}

/**
 * The journal comes before the database: lines that it lacks are added when the restored bus is opened, while lines
 * of entries that the database does not have would stay. Transcripts come after it: they contain at least what the
 * database refers to.
 */
async function addParts(archiving: Archiving, folder: string): Promise<Snapshot> {
  const { tar, location, env, journal } = archiving;
  tar.addText(formatPart, `${JSON.stringify({ format: formatName, version: formatVersion })}\n`);
  if (journal !== undefined)
    for (const name of journalParts.toReversed()) addFile(archiving, journalPart(name), join(journal, name));
  const snapshot = await snapshotInto(location, join(folder, databasePart));
  addFile(archiving, databasePart, snapshot.file);
  fs().rmSync(snapshot.file);
  const tasks = tasksFolder(location, env);
  for (const number of numbersIn(tasks))
    for (const name of taskParts)
      addFile(archiving, taskPart(number, name), join(taskFolder(tasks, Number(number)), name));
  addFile(archiving, profilesPart, profilesFile(location, env));
  return snapshot;
}

/** A missing file is left out; a file of another user is left out with a warning. */
function addFile({ tar, warnings }: Archiving, name: string, path: string): void {
  if (!look(path)) return;
  let opened: number;
  try {
    opened = openOwn(path, fs().constants.O_RDONLY);
  } catch (error) {
    warnings.push(`${path} is not in the backup: ${(error as Error).message}`);
    return;
  }
  try {
    tar.addFile(name, opened, fs().fstatSync(opened).size);
  } finally {
    fs().closeSync(opened);
  }
}

function numbersIn(tasks: string): string[] {
  if (look(tasks)?.kind !== "folder") return [];
  return fs()
    .readdirSync(tasks)
    .filter((name) => /^[1-9]\d{0,14}$/.test(name) && look(join(tasks, name))?.kind === "folder")
    .sort((a, b) => Number(a) - Number(b));
}

/** [X7] The mark says that this user had approved the bus; a bus that nobody approved is not approved by a backup. */
function seal({ tar, location, env, warnings }: Archiving, manifest: Manifest): void {
  const text = `${JSON.stringify(manifest, null, 1)}\n`;
  tar.addText(manifestPart, text);
  try {
    if (isBusTrusted(location, env)) tar.addText(markPart, markOf(text, env));
  } catch (error) {
    warnings.push(`a restored bus will have to be approved: ${(error as Error).message}`);
  }
  tar.end();
}

/** A file that may be replaced by a newer one. */
function isBackup(file: string): boolean {
  const begin = Buffer.alloc(formatPart.length + 1);
  const opened = openOwn(file, fs().constants.O_RDONLY);
  try {
    fs().readSync(opened, begin, 0, begin.length, 0);
  } finally {
    fs().closeSync(opened);
  }
  return begin.toString("latin1") === `${formatPart}\0`;
}
