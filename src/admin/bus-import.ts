/** [Y7] `inbox import`: a bus out of an export, once every line of it has been checked. */
import { join, resolve } from "node:path";
import * as v from "valibot";
import { InboxError } from "../contract/errors.ts";
import { exportedEntry } from "../contract/exported-entry.ts";
import type { OutputOf, ParsedOf } from "../contract/operations/index.ts";
import { blank, call, option, phrase } from "../contract/phrase.ts";
import { withoutPassword } from "../contract/secret.ts";
import { fileSchemaVersion, fileTools } from "../engines/registry.ts";
import type { Loader } from "../engines/sqlite/file-tools.ts";
import { tables } from "../engines/tables.ts";
import { type Asked, locateOrNew } from "../location/locate.ts";
import { isBusTrusted } from "../location/trust.ts";
import { fileLines, NotText, whyNoFile } from "../platform/file-lines.ts";
import { look } from "../platform/system.ts";
import { beginsBackup } from "./backup-parts.ts";
import { type ExportHead, exportEnd, exportFormat, exportHead, exportRow } from "./export-format.ts";
import { occupantOf, prepareBus } from "./install-bus.ts";
import { requireDatabase } from "./require-database.ts";
import { requireUnused } from "./serving.ts";
import { warnOfTokens } from "./token-warning.ts";
import { besideBus, withWorkFolder } from "./work-folder.ts";

export async function busImport(
  asked: Asked,
  input: ParsedOf<"bus.import">,
): Promise<OutputOf<"bus.import">> {
  const location = locateOrNew(asked);
  requireDatabase("import", location, "run it where the hub runs, while that is stopped");
  const name = input.file === "-" ? "standard input" : resolve(asked.cwd, input.file);
  const trouble = input.file === "-" ? undefined : whyNoFile(name);
  if (trouble)
    throw new InboxError("not_found", trouble, {
      hint: phrase`give a file written by ${call("bus.export", { file: blank("FILE") }, { db: false })}`,
    });
  // A pipe can be read only once.
  if (input.file !== "-" && look(name)?.kind === "file") await checkBegin(name);
  const occupant = await occupantOf(location);
  if (occupant.state === "used") throw notEmpty(location);
  if (occupant.state === "unreadable")
    throw new InboxError("conflict", `${location} is not an empty bus; nothing was changed`, {
      hint: phrase`import to a new database: ${option("db", blank("PATH"))}`,
    });
  await requireUnused(location, asked.env);
  return await withWorkFolder(besideBus(location, asked.env), async (folder) => {
    const from = join(folder, "imported.db");
    const { bus_id: busId } = await load(input.file === "-" ? "-" : name, name, from);
    const prepared = await prepareBus({ from, busId, location, occupant, folder, keptAs: "" });
    await prepared.place();
    const warnings = await warnOfTokens(location);
    return {
      db: withoutPassword(location),
      busId,
      rows: prepared.rows,
      trusted: isBusTrusted(location, asked.env),
      ...(warnings.length > 0 && { warnings }),
    };
  });
}

const notEmpty = (location: string) =>
  new InboxError(
    "conflict",
    `${withoutPassword(location)} already contains a bus, and an import needs an empty database: ids of both would collide; nothing was changed`,
    { hint: phrase`import to a new database: ${option("db", blank("PATH"))}` },
  );

class BadLine extends Error {}
class Entries extends Error {}

/** Whatever is at the target, a file that is no export was not meant. */
async function checkBegin(name: string): Promise<void> {
  try {
    for await (const line of fileLines(name, { fatal: true })) {
      headIn(line);
      return;
    }
  } catch (error) {
    throw notImported(name, error, { number: 1, begun: false });
  }
}

/** Reads all of it into a new database file. */
async function load(path: string, name: string, into: string): Promise<ExportHead> {
  let number = 0;
  let reading: Reading | undefined;
  try {
    for await (const line of fileLines(path, { fatal: true })) {
      number++;
      if (reading) reading.take(line);
      else reading = new Reading(headIn(line), line, into);
    }
    if (!reading) throw new BadLine("it is empty");
    reading.finish();
    return reading.head;
  } catch (error) {
    throw notImported(name, error, { number, begun: reading !== undefined });
  } finally {
    reading?.close();
  }
}

/** `number`: the line that was read last. */
function notImported(name: string, error: unknown, { number, begun }: { number: number; begun: boolean }) {
  if (error instanceof NotText && !begun) return notExport(name, error.begin);
  if (error instanceof Entries) return entries(name);
  if (
    !(error instanceof BadLine || error instanceof NotText) &&
    !(error instanceof InboxError && error.code === "invalid_input")
  )
    return error;
  // The line that could not be read was not counted.
  const at = error instanceof NotText ? number + 1 : number;
  const where = !(error instanceof InboxError) && at > 0 ? `line ${at}: ` : "";
  return new InboxError(
    "invalid_input",
    `${name} cannot be imported: ${where}${error.message}; nothing was changed`,
    {
      hint: phrase`use a complete export that nobody has changed; ${call("bus.export", { file: blank("FILE") }, { db: false })} writes one`,
    },
  );
}

const entries = (name: string) =>
  new InboxError(
    "invalid_input",
    `${name} cannot be imported: it has entries of the person's inbox, not a whole bus; nothing was changed`,
    { hint: phrase`${call("entries.import", { entries: name })} imports them` },
  );

function notExport(name: string, begin: Uint8Array): InboxError {
  const isBackup = beginsBackup(begin);
  const what = isBackup ? "it is a backup, not an export" : "it is not an export: it is not text";
  return new InboxError("invalid_input", `${name} cannot be imported: ${what}; nothing was changed`, {
    hint: isBackup
      ? phrase`${call("bus.restore", { file: name })} restores it`
      : phrase`give a file written by ${call("bus.export", { file: blank("FILE") }, { db: false })}`,
  });
}

function parsed<S extends v.GenericSchema>(schema: S, line: string): v.InferOutput<S> | undefined {
  try {
    const result = v.safeParse(schema, JSON.parse(line));
    return result.success ? result.output : undefined;
  } catch {
    return undefined;
  }
}

function headIn(line: string): ExportHead {
  const head = parsed(exportHead(), line);
  if (!head) {
    if (parsed(exportedEntry(), line)) throw new Entries();
    const other = parsed(v.object({ format: v.literal(exportFormat.format), version: v.number() }), line);
    throw new BadLine(
      other && other.version > exportFormat.version
        ? `it has format version ${other.version}, and this program knows ${exportFormat.version}: install a newer inbox`
        : "it is not the first line of an export",
    );
  }
  if (head.schema_version > fileSchemaVersion)
    throw new BadLine(
      `it has schema version ${head.schema_version}, and this program knows ${fileSchemaVersion}: install a newer inbox`,
    );
  const known = new Set(tables.map(({ name }) => name));
  const odd = Object.keys({ ...head.tables, ...head.numbers }).find((table) => !known.has(table));
  if (odd !== undefined) throw new BadLine(`there is no table ${JSON.stringify(odd)}`);
  return head;
}

/** What has been read so far of an export. */
class Reading {
  readonly #hasher = new Bun.CryptoHasher("sha256");
  readonly #loader: Loader;
  readonly #left: Map<string, number>;
  readonly #row = exportRow();
  #ended = false;

  constructor(
    readonly head: ExportHead,
    line: string,
    into: string,
  ) {
    this.#left = new Map(Object.entries(head.tables));
    this.#hasher.update(`${line}\n`);
    const { bus_id: busId, numbers, schema_version: version } = head;
    this.#loader = fileTools().openLoader(into, { busId, numbers, version });
  }

  take(line: string): void {
    if (this.#ended) throw new BadLine("there are more lines after the last line of the export");
    const added = parsed(this.#row, line);
    if (added) this.#add(added.table, added.row);
    else this.#end(line);
    this.#hasher.update(`${line}\n`);
  }

  #add(table: string, row: Record<string, unknown>): void {
    const left = this.#left.get(table);
    if (left === undefined) throw new BadLine(`there is no table ${JSON.stringify(table)} in the first line`);
    if (left === 0) throw new BadLine(`${table} has more rows than the first line says`);
    this.#left.set(table, left - 1);
    try {
      this.#loader.add(table, row);
    } catch (error) {
      throw new BadLine(`${table}: ${(error as Error).message}`);
    }
  }

  #end(line: string): void {
    const end = parsed(exportEnd(), line);
    if (!end) throw new BadLine("it is neither a row nor the last line of an export");
    for (const [table, left] of this.#left)
      if (left > 0) throw new BadLine(`${left} rows of ${table} are missing`);
    if (end.sha256 !== this.#hasher.copy().digest("hex"))
      throw new BadLine("the checksum does not match: a line before this one was changed");
    this.#ended = true;
  }

  finish(): void {
    if (!this.#ended) throw new BadLine("the last line is missing: it is not complete");
    this.#loader.end();
  }

  close(): void {
    this.#loader.close();
  }
}
