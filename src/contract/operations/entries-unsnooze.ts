import * as v from "valibot";
import { entry, entryId, person } from "../entry.ts";
import { name } from "../fields.ts";
import { operation } from "../operation.ts";

export const entriesUnsnooze = operation({
  name: "entries.unsnooze",
  kind: "write",
  access: { on: "entry", by: "id", does: "change" },
  summary: "Bring a snoozed entry back now",
  detail: "An entry that is not snoozed stays as it is; the call returns already: true.",
  input: () =>
    v.strictObject({ id: entryId(), agent: v.optional(name("who brings it back", "NAME"), person) }),
  output: () => v.strictObject({ entry: entry(), already: v.boolean() }),
  errors: ["invalid_input", "not_found"],
  cli: { command: "entries unsnooze", plain: ["id"], identity: "agent", identityDefault: person },
  http: ["DELETE /api/inbox/:id/snooze"],
  mcp: { none: "the inbox belongs to the person; models have no access to it" },
  examples: ["inbox entries unsnooze 0b7d2c1e-5f3a-4a44-9d86-1f0c8a7e2b11"],
});
