import { exists } from "../../platform/system.ts";
import type { EngineRecord } from "../record.ts";
import { createDatabase } from "./connect.ts";
import { copying } from "./copying.ts";
import { diagnose, notedHub } from "./doctor.ts" with { load: "when-called" };
import { openSqlite } from "./engine.ts";
import { migrations } from "./schema.ts";

export const sqlite: EngineRecord = {
  name: "SQLite",
  looksLike: "a file",
  isAddress: (location) => !/^[a-z]+:\/\//i.test(location),

  file: (location) => location,
  sideFiles: (location) => ["-wal", "-shm", "-journal"].map((end) => `${location}${end}`),
  pathName: (location) => location,
  mayExist: exists,
  connectionPerWaiter: false,
  closedByCommands: false,

  open: openSqlite,
  create: async (location) => createDatabase(location),
  schemaVersion: () => migrations.length,
  diagnose: async (location) => diagnose(location),
  notedHub: async (location) => notedHub(location),
  copying: () => copying,
};
