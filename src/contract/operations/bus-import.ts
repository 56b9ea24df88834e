import * as v from "valibot";
import { text } from "../fields.ts";
import { operation } from "../operation.ts";
import { call, option, phrase } from "../phrase.ts";

export const busImport = operation("bus.import", "import", () => ({
  kind: "local",
  access: { on: "bus", scopes: ["admin"] },
  summary: "Create a bus from an export",
  detail: phrase`All lines are checked first: the checksum, the number of rows, every table and column. The target is the database given by ${option("db")}, else the one found here, else a new one here; it must be empty. Two buses cannot be merged: both number threads, messages and events from 1, so an id or cursor of one means something else in the other. Tokens of the export are valid on the new bus. Approve it with ${call("bus.trust")} before it starts programs.`,
  input: () =>
    v.strictObject({
      file: text("the export, or - for standard input", { limit: 4096, value: "FILE" }),
    }),
  output: () =>
    v.strictObject({
      db: v.string(),
      busId: v.string(),
      rows: v.number(),
      trusted: v.boolean(),
      warnings: v.optional(v.array(v.string())),
    }),
  errors: ["invalid_input", "conflict", "busy", "storage", "not_found"],
  cli: { plain: ["file"] },
  http: { none: "it makes a database" },
  mcp: { none: "it is about the database, not the bus" },
  examples: [
    "inbox import bus.jsonl",
    "gunzip < bus.jsonl.gz | inbox import - --db postgres://inbox:secret@db.example/agents",
  ],
}));
