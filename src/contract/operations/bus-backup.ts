import * as v from "valibot";
import { absolutePath, text } from "../fields.ts";
import { operation } from "../operation.ts";
import { call, phrase } from "../phrase.ts";
import { writtenFile } from "../written-file.ts";

export const busBackup = operation("bus.backup", "backup", () => ({
  kind: "local",
  access: { on: "bus", scopes: ["admin"] },
  summary: "Write a consistent copy of the whole bus to one file, while it is in use",
  detail: phrase`Writes the database, the journal, the transcripts of tasks and the profile file, with checksums, as one tar file that only you can read. It contains everything written before it began, including token hashes: keep it as safe as the database. An earlier backup of that name is replaced once the new one is complete; any other existing file is refused, and so is a folder that does not exist. ${call("bus.restore")} reads it.`,
  input: () =>
    v.strictObject({
      file: text("the file to write", { limit: 4096, value: "FILE" }),
      dataDir: v.optional(
        absolutePath(
          "the hub's data folder, which has the journal (default: beside the database file; on a server: not included)",
        ),
      ),
    }),
  output: () =>
    v.strictObject({
      ...writtenFile(),
      schemaVersion: v.number(),
      rows: v.number(),
      parts: v.number(),
      bytes: v.number(),
      createdAt: v.string(),
      warnings: v.optional(v.array(v.string())),
    }),
  errors: ["invalid_input", "not_initialized", "conflict", "busy", "storage"],
  cli: { plain: ["file"] },
  http: { none: "it writes a file where the database is" },
  mcp: { none: "it is about a file here" },
  examples: [
    "inbox backup bus.tar",
    "inbox backup --db postgres://inbox:secret@db.example/agents /backups/agents.tar",
  ],
}));
