import * as v from "valibot";
import { entry, entryId, person } from "../entry.ts";
import { name } from "../fields.ts";
import { operation } from "../operation.ts";

export const entriesUnread = operation({
  name: "entries.unread",
  kind: "write",
  access: { on: "entry", by: "id", does: "change" },
  summary: "Mark an entry as unread again",
  detail: "A message that was acked by reading it stays so.",
  input: () => v.strictObject({ id: entryId(), agent: v.optional(name("who says so", "NAME"), person) }),
  output: () => v.strictObject({ entry: entry(), already: v.boolean() }),
  errors: ["invalid_input", "not_found"],
  cli: { command: "entries unread", plain: ["id"], identity: "agent", identityDefault: person },
  http: ["DELETE /api/inbox/:id/read"],
  mcp: { none: "it is the person's, not a model's" },
  examples: ["inbox entries unread 0b7d2c1e-5f3a-4a44-9d86-1f0c8a7e2b11"],
});
