import * as v from "valibot";
import { exportedEntries } from "../exported-entry.ts";
import { operation } from "../operation.ts";

export const entriesImport = operation({
  name: "entries.import",
  kind: "write",
  access: { on: "bus", scopes: ["admin"] },
  summary: "Add entries from JSON lines, as export and the journal have them",
  detail:
    "Entries that are there already, by their id, are left as they are. Each keeps its time, and so its place in the history.",
  input: () => v.strictObject({ entries: exportedEntries() }),
  output: () =>
    v.strictObject({
      imported: v.number(),
      /** There before. */
      known: v.number(),
    }),
  errors: ["invalid_input", "too_large"],
  cli: { command: "entries import", plain: ["entries"] },
  http: ["POST /api/inbox/import"],
  mcp: { none: "it is the person's, not a model's" },
  examples: ["inbox entries import entries.jsonl"],
});
