/**
 * [Y6] [Y7] Makes a bus from a database file from elsewhere. Its rows are copied into a database that this program
 * creates; everything else in the file is ignored. The bus is put in its place only when it is complete.
 */
import { join } from "node:path";
import { InboxError } from "../contract/errors.ts";
import { blank, option, phrase } from "../contract/phrase.ts";
import { withoutPassword } from "../contract/secret.ts";
import type { Engine } from "../engines/engine.ts";
import { createBus, engineAt, fileTools, openEngine, serverTools } from "../engines/registry.ts";
import type { Numbers } from "../engines/tables.ts";
import { databaseFile, keepOutOfGit } from "../location/locate.ts";
import { look } from "../platform/system.ts";
import type { Context, Procedure } from "../sql/procedure.ts";
import { busOf, copyBus, isEmpty, take } from "./copy-bus.ts";

/** What is at a location: nothing, an unused bus, a used one, or something that cannot be read. */
export interface Occupant {
  state: "missing" | "empty" | "used" | "unreadable";
  busId?: string;
  numbers?: Numbers;
}

export async function occupantOf(location: string): Promise<Occupant> {
  if (databaseFile(location) !== undefined && look(location)?.kind === "folder")
    throw new InboxError(
      "invalid_input",
      `${location} is a folder, not a database file; nothing was changed`,
      {
        hint: phrase`give a file: ${option("db", blank("PATH"))}`,
      },
    );
  let engine: Engine | undefined;
  try {
    engine = openEngine(location);
    const busId = await engine.read(busOf);
    const numbers = await engine.read(() => engineAt(location).copying().numbers());
    return { state: (await engine.read(isEmpty)) ? "empty" : "used", busId, numbers };
  } catch (error) {
    if (error instanceof InboxError && error.code === "not_initialized") return { state: "missing" };
    if (databaseFile(location) === undefined || (error instanceof InboxError && error.code === "not_allowed"))
      throw error;
    return { state: "unreadable" };
  } finally {
    await engine?.close();
  }
}

export interface Installation {
  /** The database file whose rows are taken. */
  from: string;
  busId: string;
  location: string;
  occupant: Occupant;
  /** A folder for incomplete files, on the same disk as a database file. */
  folder: string;
  /** The new name of a bus that is replaced: a path, or the name of a schema. */
  keptAs: string;
  /** Done to the new bus before any other process sees it. */
  adjust?: (tx: Context) => Procedure<void>;
}

/** A complete bus that is not in its place yet. */
export interface Prepared {
  rows: number;
  /** The new name of what was there; undefined if there was nothing to keep. */
  kept: string | undefined;
  place(): Promise<void>;
  /** Discards it. */
  discard(): Promise<void>;
}

export async function prepareBus(how: Installation): Promise<Prepared> {
  const keeps = how.occupant.state === "used" || how.occupant.state === "unreadable";
  const kept = keeps ? how.keptAs : undefined;
  return databaseFile(how.location) === undefined ? onServer(how, kept) : asFile(how, kept);
}

async function asFile(how: Installation, kept: string | undefined): Promise<Prepared> {
  const fresh = join(how.folder, "new.db");
  await createBus(fresh);
  const rows = await fill(fresh, how);
  fileTools().settleDatabase(fresh);
  return {
    rows,
    kept,
    async place() {
      fileTools().replaceDatabase(how.location, fresh, kept);
      keepOutOfGit(how.location);
    },
    // It is deleted with its folder.
    async discard() {},
  };
}

/** A used bus is exchanged for the new one in one step; an empty one is filled. */
async function onServer(how: Installation, kept: string | undefined): Promise<Prepared> {
  const { location } = how;
  const schema = `restante_new_${process.pid}_${Date.now().toString(36)}`;
  const discard = () =>
    serverTools()
      .dropSchema(location, schema)
      .catch(() => {});
  if (kept === undefined) {
    await createBus(location);
    return { rows: await fill(location, how), kept, place: async () => {}, discard: async () => {} };
  }
  try {
    const beside = serverTools().withSchema(location, schema);
    await createBus(beside);
    const rows = await fill(beside, how);
    return { rows, kept, place: () => serverTools().replaceSchema(location, schema, kept), discard };
  } catch (error) {
    await discard();
    throw error;
  }
}

async function fill(location: string, { from, busId, occupant, adjust }: Installation): Promise<number> {
  const [source, target] = [openEngine(from), openEngine(location)];
  try {
    if (!(await target.write((tx) => take(tx, busId))))
      throw new InboxError("conflict", `${withoutPassword(location)} has been written to meanwhile`);
    const { rows } = await copyBus(
      { name: "the copy", location: from, engine: source },
      { name: withoutPassword(location), location, engine: target },
      (work) => target.write(work),
      busId,
    );
    // No id is used twice, including ids that were used after the copy was made.
    if (occupant.busId === busId)
      await target.write(() => engineAt(location).copying().raise(occupant.numbers!));
    if (adjust) await target.write(adjust);
    return rows;
  } finally {
    await Promise.all([source.close(), target.close()]);
  }
}
