import * as v from "valibot";
import { entry, entryId } from "../entry.ts";
import { integer } from "../fields.ts";
import { operation } from "../operation.ts";

export const entriesExport = operation({
  name: "entries.export",
  kind: "read",
  access: { on: "person", does: "read" },
  summary: "Print the person's inbox as JSON lines, in the order in which entries came",
  detail:
    "The lines are those of the journal, with what it does not have: who sent it, whether it was read and answered. " +
    "Over HTTP it comes in pages: go on with after, the id of the last, until hasMore is false.",
  input: () =>
    v.strictObject({
      after: v.optional(entryId("only entries that came after this one")),
      limit: v.optional(integer("at most so many in one page (default: 500)", { min: 1, max: 1000 }), 500),
    }),
  output: () => v.strictObject({ entries: v.array(entry()), hasMore: v.boolean() }),
  errors: ["invalid_input", "not_found"],
  cli: { command: "entries export", stream: true },
  http: ["GET /api/inbox/export"],
  mcp: { none: "it is the person's, not a model's" },
  examples: ["inbox entries export > entries.jsonl"],
});
