import * as v from "valibot";
import { entry, entryId } from "../entry.ts";
import { integer } from "../fields.ts";
import { operation } from "../operation.ts";

export const entriesExport = operation("entries.export", "entries export", () => ({
  kind: "read",
  access: { on: "person", does: "read" },
  summary: "Print the person's inbox as JSON lines, oldest first",
  detail:
    "The lines are those of the journal, plus the sender and whether the entry was read and answered. " +
    "Over HTTP the export is paged: pass the last id as after until hasMore is false.",
  input: () =>
    v.strictObject({
      after: v.optional(entryId("only entries that came after this one")),
      limit: v.optional(
        integer("maximum number of entries per page (default: 500)", { min: 1, max: 1000 }),
        500,
      ),
    }),
  output: () => v.strictObject({ entries: v.array(entry()), hasMore: v.boolean() }),
  errors: ["invalid_input", "not_found"],
  cli: { stream: true },
  http: ["GET /api/inbox/export"],
  mcp: { none: "the inbox belongs to the person; models have no access to it" },
  examples: ["inbox entries export > entries.jsonl"],
}));
