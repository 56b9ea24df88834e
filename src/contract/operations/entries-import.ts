import * as v from "valibot";
import { exportedEntries } from "../exported-entry.ts";
import { operation } from "../operation.ts";

export const entriesImport = operation("entries.import", "entries import", () => ({
  kind: "write",
  access: { on: "bus", scopes: ["admin"] },
  summary: "Add entries from JSON lines, as written by export or the journal",
  detail:
    "Entries whose id exists already are left unchanged. Each entry keeps its time, so it is listed where it was.",
  input: () => v.strictObject({ entries: exportedEntries() }),
  output: () =>
    v.strictObject({
      imported: v.number(),
      /** There before. */
      known: v.number(),
    }),
  errors: ["invalid_input", "too_large"],
  cli: { plain: ["entries"] },
  http: ["POST /api/inbox/import"],
  mcp: { none: "the inbox belongs to the person; models have no access to it" },
  examples: ["inbox entries import entries.jsonl"],
}));
