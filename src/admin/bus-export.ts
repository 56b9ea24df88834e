/** [Y7] `inbox export`: a whole bus as JSON lines. docs/backup.md describes the format. */
import { basename, join } from "node:path";
import type { OutputOf, ParsedOf } from "../contract/operations/index.ts";
import { withoutPassword } from "../contract/secret.ts";
import { pages } from "../engines/copy.ts";
import { engineAt, fileSchemaVersion, openEngine } from "../engines/registry.ts";
import { tables } from "../engines/tables.ts";
import { type Asked, locate } from "../location/locate.ts";
import { openOwn, openOwnNew } from "../platform/own-files.ts";
import { fs } from "../platform/system.ts";
import { one } from "../sql/procedure.ts";
import { Sql } from "../sql/sql.ts";
import { version } from "../version.ts";
import { type ExportHead, exportFormat } from "./export-format.ts";
import { requireDatabase } from "./require-database.ts";
import { snapshotInto } from "./snapshot.ts";
import { besideBus, fileToWrite, publish, requireReplaceable, withWorkFolder } from "./work-folder.ts";

type Output = OutputOf<"bus.export">;
/** False if the reader has closed the pipe. */
type Write = (text: string) => boolean | Promise<boolean>;

/** `write` gets what goes to standard output. Undefined if its reader has closed the pipe. */
export async function busExport(
  asked: Asked,
  input: ParsedOf<"bus.export">,
  write: Write,
): Promise<Output | undefined> {
  const location = locate(asked);
  requireDatabase("export", location, "run it where the hub runs; its /healthz names the database");
  if (input.file === "-")
    return await withWorkFolder(besideBus(location, asked.env), (folder) =>
      exported(location, folder, "-", write),
    );
  const file = fileToWrite(asked.cwd, input.file);
  requireReplaceable(file, isExport, "an export");
  return await withWorkFolder(file, async (folder) => {
    const lines = join(folder, basename(file));
    const opened = openOwnNew(lines);
    try {
      const told = await exported(location, folder, file, (text) => {
        fs().writeFileSync(opened, text);
        return true;
      });
      fs().fsyncSync(opened);
      publish(lines, file, isExport, "an export");
      return told;
    } finally {
      fs().closeSync(opened);
    }
  });
}

async function exported(
  location: string,
  folder: string,
  file: string,
  write: Write,
): Promise<Output | undefined> {
  const { file: snapshot, busId } = await snapshotInto(location, join(folder, "snapshot.db"));
  const engine = openEngine(snapshot);
  const hasher = new Bun.CryptoHasher("sha256");
  const put = (text: string) => {
    hasher.update(text);
    return write(text);
  };
  try {
    const counts: Record<string, number> = {};
    for (const { name } of tables) {
      const query = new Sql([`select count(*) as count from ${name}`], []);
      counts[name] = (await engine.read(() => one<{ count: number }>(query)))!.count;
    }
    const head: ExportHead = {
      ...exportFormat,
      program: version,
      created_at: new Date().toISOString(),
      bus_id: busId,
      schema_version: fileSchemaVersion,
      tables: counts,
      numbers: await engine.read(() => engineAt(snapshot).copying().numbers()),
    };
    if (!(await put(`${JSON.stringify(head)}\n`))) return undefined;
    for (const table of tables)
      for await (const { rows } of pages(engine, table)) {
        const lines = rows.map((row) => `${JSON.stringify({ table: table.name, row })}\n`);
        if (!(await put(lines.join("")))) return undefined;
      }
    const rows = Object.values(counts).reduce((sum, count) => sum + count, 0);
    const sha256 = hasher.digest("hex");
    if (!(await write(`${JSON.stringify({ end: true, rows, sha256 })}\n`))) return undefined;
    return { file, db: withoutPassword(location), busId, rows, sha256 };
  } finally {
    await engine.close();
  }
}

/** What may be replaced by a newer one. */
function isExport(file: string): boolean {
  const wanted = JSON.stringify(exportFormat).slice(0, -1);
  const begin = Buffer.alloc(wanted.length);
  const opened = openOwn(file, fs().constants.O_RDONLY);
  try {
    fs().readSync(opened, begin, 0, begin.length, 0);
  } finally {
    fs().closeSync(opened);
  }
  return begin.toString("latin1") === wanted;
}
