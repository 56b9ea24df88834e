import * as v from "valibot";
import { text } from "../fields.ts";
import { operation } from "../operation.ts";
import { writtenFile } from "../written-file.ts";

export const busExport = operation("bus.export", "export", () => ({
  kind: "local",
  access: { on: "bus", scopes: ["admin"] },
  summary: "Print the whole bus as JSON lines, one line per row",
  detail:
    "The first line has the format, the schema version and the number of rows, the last line a checksum. The export is a consistent snapshot; " +
    "others can keep writing. It contains everything in the database, including token hashes, lease tokens and the variables of waiting tasks: keep it as " +
    "safe as the database. Transcripts, the journal and profiles are only in a backup. The folder of the file must exist.",
  input: () =>
    v.strictObject({
      file: v.optional(
        text("the file to write, or - for standard output (default: -)", { limit: 4096, value: "FILE" }),
        "-",
      ),
    }),
  output: () =>
    v.strictObject({
      ...writtenFile(),
      rows: v.number(),
      sha256: v.string(),
    }),
  errors: ["invalid_input", "not_initialized", "conflict", "busy", "storage"],
  cli: { plain: ["file"] },
  http: { none: "it is about the database; GET /api/inbox/export has the person's inbox" },
  mcp: { none: "it is about the database, not the bus" },
  examples: ["inbox export bus.jsonl", "inbox export | gzip > bus.jsonl.gz"],
}));
