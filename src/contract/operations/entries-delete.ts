import * as v from "valibot";
import { entryId, person, restoreSeconds } from "../entry.ts";
import { flag, name } from "../fields.ts";
import { operation } from "../operation.ts";

export const entriesDelete = operation("entries.delete", "entries delete", () => ({
  kind: "write",
  access: { on: "entry", by: "id", does: "change" },
  summary: "Delete an entry of the person's inbox",
  detail: `The entry is hidden at once and erased after ${restoreSeconds} seconds, together with its line in the journal. Until then it can be restored.`,
  input: () =>
    v.strictObject({
      id: entryId(),
      atOnce: flag("erase it now; it cannot be restored"),
      agent: v.optional(name("who deletes it", "NAME"), person),
    }),
  output: () =>
    v.strictObject({
      id: v.string(),
      /** Until when it can be restored; null where it is erased already. */
      restorableUntil: v.nullable(v.string()),
    }),
  errors: ["invalid_input", "not_found"],
  cli: { plain: ["id"], identity: "agent", identityDefault: person },
  http: ["DELETE /api/inbox/:id"],
  mcp: { none: "the inbox belongs to the person; models have no access to it" },
  examples: ["inbox entries delete 0b7d2c1e-5f3a-4a44-9d86-1f0c8a7e2b11"],
}));
