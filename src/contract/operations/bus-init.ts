import * as v from "valibot";
import { operation } from "../operation.ts";
import { call, option, phrase } from "../phrase.ts";

export const busInit = operation("bus.init", "init", () => ({
  kind: "local",
  access: { on: "bus", scopes: ["admin"] },
  summary: "Create a database in this folder",
  detail: phrase`Creates .agents/coord.db in this folder, or the database given by ${option("db")}. A .gitignore beside .agents/coord.db keeps it out of a git repository; a database elsewhere is for you to ignore. Running it again changes nothing. A bus you create is trusted: see ${call("bus.trust")}.`,
  input: () => v.strictObject({}),
  output: () =>
    v.strictObject({
      db: v.string(),
      created: v.boolean(),
      schemaVersion: v.number(),
      /** The file that keeps the database out of a repository, where it was written. */
      gitignore: v.optional(v.string()),
      outer: v.optional(v.string()),
      trusted: v.boolean(),
      warnings: v.optional(v.array(v.string())),
    }),
  errors: ["storage", "busy"],
  http: { none: "the hub creates its database by itself" },
  mcp: { none: "it is about a file here" },
  examples: ["inbox init", "inbox init --db .agents/coord.db"],
}));
