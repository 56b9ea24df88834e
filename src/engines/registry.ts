/** Which engine a location means. What most commands use is loaded with its record, any other engine when it is asked for something. */
import { InboxError } from "../contract/errors.ts";
import { withoutPassword } from "../contract/secret.ts";
import type { Engine, EngineOptions } from "./engine.ts";
import { postgres } from "./postgres/record.ts";
import type { EngineRecord } from "./record.ts";
import { sqlite } from "./sqlite/record.ts";

/** In the order in which they are named to people. */
export const engines: readonly EngineRecord[] = [sqlite, postgres];

/** The engine whose address this is; none where it is a hub's, or nobody's. */
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

/** Makes what is missing; true if there was nothing before. */
export const createBus = (location: string): Promise<boolean> => engineAt(location).create(location);

/** Of database files, and so of what a backup or an export holds. */
export const fileSchemaVersion = sqlite.schemaVersion();

/** [Y6] [Y7] What a backup and an export are made of, and what they are read from, is always a file, whatever the engine. */
export const fileTools = () => require("./sqlite/file-tools.ts") as typeof import("./sqlite/file-tools.ts");

/** [Y6] What only a server needs for it. */
export const serverTools = () => {
  const server = require("./postgres/index.ts") as typeof import("./postgres/index.ts");
  const { dropSchema, openSnapshot, replaceSchema, schemaOf, withSchema } = server;
  return { dropSchema, openSnapshot, replaceSchema, schemaOf, withSchema };
};
