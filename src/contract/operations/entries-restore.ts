import * as v from "valibot";
import { entry, entryId, person, restoreSeconds } from "../entry.ts";
import { name } from "../fields.ts";
import { operation } from "../operation.ts";

export const entriesRestore = operation({
  name: "entries.restore",
  kind: "write",
  access: { on: "entry", by: "id", does: "change" },
  summary: "Restore an entry that was just deleted",
  detail: `This works for ${restoreSeconds} seconds after the deletion. An entry that was not deleted is left unchanged.`,
  input: () => v.strictObject({ id: entryId(), agent: v.optional(name("who restores it", "NAME"), person) }),
  output: () => v.strictObject({ entry: entry(), already: v.boolean() }),
  errors: ["invalid_input", "not_found"],
  cli: { command: "entries restore", plain: ["id"], identity: "agent", identityDefault: person },
  http: ["POST /api/inbox/:id/restore"],
  mcp: { none: "the inbox belongs to the person; models have no access to it" },
  examples: ["inbox entries restore 0b7d2c1e-5f3a-4a44-9d86-1f0c8a7e2b11"],
});
