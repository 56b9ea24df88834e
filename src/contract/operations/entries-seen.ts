import * as v from "valibot";
import { seenLimits } from "../document.ts";
import { entryId, person } from "../entry.ts";
import { name } from "../fields.ts";
import { operation } from "../operation.ts";
import { call, phrase } from "../phrase.ts";
import { time } from "../time.ts";

export const entriesSeen = operation("entries.seen", "entries seen", () => ({
  kind: "write",
  access: { on: "entry", by: "id", does: "change" },
  summary: "Record that the person has read an entry's documents",
  detail: phrase`Keeps their current text, with which ${call("entries.changes")} compares. Only text of up to ${seenLimits.bytes / 1024} KiB per document is kept, for the ${seenLimits.documents} documents read last; it is deleted together with the entry.`,
  input: () =>
    v.strictObject({
      id: entryId(),
      asOf: v.optional(time("skip documents changed after this time: the person was shown an earlier text")),
      agent: v.optional(name("who has read them", "NAME"), person),
    }),
  output: () => v.strictObject({ kept: v.array(v.string()) }),
  errors: ["invalid_input", "not_found"],
  cli: { plain: ["id"], identity: "agent", identityDefault: person },
  http: ["PUT /api/inbox/:id/seen"],
  mcp: { none: "the inbox belongs to the person; models have no access to it" },
  examples: ["inbox entries seen 0b7d2c1e-5f3a-4a44-9d86-1f0c8a7e2b11"],
}));
