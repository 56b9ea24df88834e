import * as v from "valibot";
import { entry, entryId, person } from "../entry.ts";
import { name } from "../fields.ts";
import { operation } from "../operation.ts";

export const entriesUnread = operation({
  name: "entries.unread",
  kind: "write",
  access: { on: "entry", by: "id", does: "change" },
  summary: "Mark an entry as unread again",
  detail: "If reading the entry has acknowledged a message, that message stays acknowledged.",
  input: () =>
    v.strictObject({ id: entryId(), agent: v.optional(name("who marks it as unread", "NAME"), person) }),
  output: () => v.strictObject({ entry: entry(), already: v.boolean() }),
  errors: ["invalid_input", "not_found"],
  cli: { command: "entries unread", plain: ["id"], identity: "agent", identityDefault: person },
  http: ["DELETE /api/inbox/:id/read"],
  mcp: { none: "the inbox belongs to the person; models have no access to it" },
  examples: ["inbox entries unread 0b7d2c1e-5f3a-4a44-9d86-1f0c8a7e2b11"],
});
