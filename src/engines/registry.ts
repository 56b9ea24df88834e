/**
 * Which engine a location refers to. The engine that most commands use is loaded with its record, any other when it
 * is needed.
 */
import { InboxError } from "../contract/errors.ts";
import { withoutPassword } from "../contract/secret.ts";
import type { Engine, EngineOptions } from "./engine.ts";
import { postgres } from "./postgres/record.ts";
import type { EngineRecord } from "./record.ts";
import { sqlite } from "./sqlite/record.ts";

/** In the order in which they are listed to people. */
export const engines: readonly EngineRecord[] = [sqlite, postgres];

/** The engine of this address; undefined if it is a hub's address, or not an address. */
export const findEngine = (location: string): EngineRecord | undefined =>
  engines.find(({ isAddress }) => isAddress(location));

export function engineAt(location: string): EngineRecord {
  const found = findEngine(location);
  if (!found)
    throw new InboxError(
      "invalid_input",
      `${withoutPassword(location)} is not a database: that is ${engines.map(({ looksLike }) => looksLike).join(" or ")}`,
    );
  return found;
}

export const openEngine = (location: string, options: EngineOptions = {}): Engine =>
  engineAt(location).open(location, options);

/** Creates what is missing; true if there was nothing before. */
export const createBus = (location: string): Promise<boolean> => engineAt(location).create(location);

/** The schema version of database files, and so of backups and exports. */
export const fileSchemaVersion = sqlite.schemaVersion();

/** [Y6] [Y7] Backups and exports are always written from and read to a file, whatever the engine. */
export const fileTools = () => require("./sqlite/file-tools.ts") as typeof import("./sqlite/file-tools.ts");

/** [Y6] What only a server needs for this. */
export const serverTools = () => {
  const server = require("./postgres/index.ts") as typeof import("./postgres/index.ts");
  const { dropSchema, openSnapshot, replaceSchema, schemaOf, withSchema } = server;
  return { dropSchema, openSnapshot, replaceSchema, schemaOf, withSchema };
};
