import * as v from "valibot";
import { entry, entryId, person } from "../entry.ts";
import { name } from "../fields.ts";
import { operation } from "../operation.ts";

export const entriesRead = operation({
  name: "entries.read",
  kind: "write",
  access: { on: "entry", by: "id", does: "change" },
  summary: "Mark an entry as read",
  detail:
    "If the entry is a message to the person, that message is acknowledged. Marking it again changes nothing and returns already: true.",
  input: () => v.strictObject({ id: entryId(), agent: v.optional(name("who read it", "NAME"), person) }),
  output: () => v.strictObject({ entry: entry(), already: v.boolean() }),
  errors: ["invalid_input", "not_found"],
  cli: { command: "entries read", plain: ["id"], identity: "agent", identityDefault: person },
  http: ["PUT /api/inbox/:id/read"],
  mcp: { none: "the inbox belongs to the person; models have no access to it" },
  examples: ["inbox entries read 0b7d2c1e-5f3a-4a44-9d86-1f0c8a7e2b11"],
});
