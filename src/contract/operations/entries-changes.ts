import * as v from "valibot";
import { documentChange } from "../document.ts";
import { entryId } from "../entry.ts";
import { operation } from "../operation.ts";
import { call, phrase } from "../phrase.ts";

export const entriesChanges = operation("entries.changes", "entries changes", () => ({
  kind: "read",
  access: { on: "entry", by: "id", does: "read" },
  summary: "Show how an entry's documents have changed since the person last read them",
  detail: phrase`Compares each document with the text that the person last read, in this entry or another. ${call("entries.seen")} records what was read.`,
  input: () => v.strictObject({ id: entryId() }),
  output: () => v.strictObject({ documents: v.array(documentChange()) }),
  errors: ["invalid_input", "not_found"],
  cli: { plain: ["id"] },
  http: ["GET /api/inbox/:id/changes"],
  mcp: { none: "the inbox belongs to the person; models have no access to it" },
  examples: ["inbox entries changes 0b7d2c1e-5f3a-4a44-9d86-1f0c8a7e2b11"],
}));
