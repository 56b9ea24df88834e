/** Which engine a location means. The others are not even loaded: the driver of a server costs a command its time. */

import type { OutputOf } from "../contract/operations/index.ts";
import { isPostgres } from "../location/locate.ts";
import type { Engine, EngineOptions } from "./engine.ts";
import { createDatabase } from "./sqlite/connect.ts";
import { copying as copyingFile } from "./sqlite/copying.ts";
import { diagnose as diagnoseFile, notedHub as notedHubInFile } from "./sqlite/doctor.ts";
import { openSqlite } from "./sqlite/engine.ts";
import { migrations } from "./sqlite/schema.ts";
import type { Copying } from "./tables.ts";

type Report = OutputOf<"bus.doctor">;

export const openEngine = (location: string, options: EngineOptions = {}): Engine =>
  isPostgres(location) ? postgres().openPostgres(location, options) : openSqlite(location, options);

/** Makes what is missing; true if there was nothing before. */
export const createBus = async (location: string): Promise<boolean> =>
  isPostgres(location) ? postgres().createPostgres(location) : createDatabase(location);

export const schemaVersion = (location: string): number =>
  isPostgres(location) ? postgres().migrations.length : migrations.length;

/** Of database files, and so of what a backup or an export holds. */
export const fileSchemaVersion = migrations.length;

/** [C8] What can be wrong with it, and what to do. */
export const diagnose = async (location: string): Promise<Report> =>
  isPostgres(location) ? postgres().diagnosePostgres(location) : diagnoseFile(location);

/** The address that a hub of this bus has noted there, perhaps one that is gone. */
export const notedHub = async (location: string): Promise<string | null> =>
  isPostgres(location) ? postgres().notedHub(location) : notedHubInFile(location);

export const copyingOf = (location: string): Copying =>
  isPostgres(location) ? postgres().copying : copyingFile;

/** [Y6] [Y7] What a backup and an export are made of, and what they are read from, is always a file, whatever the engine. */
export const fileTools = () => require("./sqlite/file-tools.ts") as typeof import("./sqlite/file-tools.ts");

/** [Y6] What only a server needs for it. */
export const serverTools = () => {
  const { dropSchema, openSnapshot, replaceSchema, schemaOf, withSchema } = postgres();
  return { dropSchema, openSnapshot, replaceSchema, schemaOf, withSchema };
};

const postgres = () => require("./postgres/index.ts") as typeof import("./postgres/index.ts");
