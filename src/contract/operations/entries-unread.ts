import { person } from "../entry.ts";
import { entryChange } from "../entry-change.ts";
import { operation } from "../operation.ts";

export const entriesUnread = operation("entries.unread", "entries unread", () => ({
  ...entryChange("who marks it as unread"),
  summary: "Mark an entry as unread again",
  detail: "If reading the entry has acknowledged a message, that message stays acknowledged.",
  cli: { plain: ["id"], identity: "agent", identityDefault: person },
  http: ["DELETE /api/inbox/:id/read"],
  examples: ["inbox entries unread 0b7d2c1e-5f3a-4a44-9d86-1f0c8a7e2b11"],
}));
