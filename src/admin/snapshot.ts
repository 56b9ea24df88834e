/** [Y6] [Y7] One state of a bus as a database file, on any engine, while others continue to write. */
import { withoutPassword } from "../contract/secret.ts";
import { createBus, fileTools, openEngine, serverTools } from "../engines/registry.ts";
import { tables } from "../engines/tables.ts";
import { databaseFile } from "../location/locate.ts";
import { one } from "../sql/procedure.ts";
import { Sql } from "../sql/sql.ts";
import { busOf, copyBus, take } from "./copy-bus.ts";

export interface Snapshot {
  file: string;
  busId: string;
  rows: number;
}

export async function snapshotInto(location: string, file: string): Promise<Snapshot> {
  if (databaseFile(location) === undefined) await copyServer(location, file);
  else fileTools().copyDatabase(location, file);
  const engine = openEngine(file);
  try {
    const busId = await engine.read(busOf);
    let rows = 0;
    for (const { name } of tables) {
      const counted = await engine.read(() =>
        one<{ count: number }>(new Sql([`select count(*) as count from ${name}`], [])),
      );
      rows += counted!.count;
    }
    return { file, busId, rows };
  } finally {
    await engine.close();
  }
}

/** Everything is read in one transaction of the server's, so it is one state of the bus. */
async function copyServer(location: string, file: string): Promise<void> {
  const snapshot = await serverTools().openSnapshot(location);
  try {
    const busId = await snapshot.read(busOf);
    await createBus(file);
    const engine = openEngine(file);
    try {
      const source = { name: withoutPassword(location), location, engine: snapshot };
      await engine.write((tx) => take(tx, busId));
      await copyBus(source, { name: file, location: file, engine }, (work) => engine.write(work), busId);
    } finally {
      await engine.close();
    }
    fileTools().settleDatabase(file);
  } finally {
    await snapshot.close();
  }
}
