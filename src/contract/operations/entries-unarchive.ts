import { person } from "../entry.ts";
import { entryChange } from "../entry-change.ts";
import { operation } from "../operation.ts";

export const entriesUnarchive = operation("entries.unarchive", "entries unarchive", () => ({
  ...entryChange("who brings it back"),
  summary: "Bring an archived entry back into the inbox",
  detail: "It stays marked as read.",
  cli: { plain: ["id"], identity: "agent", identityDefault: person },
  http: ["DELETE /api/inbox/:id/archive"],
  examples: ["inbox entries unarchive 0b7d2c1e-5f3a-4a44-9d86-1f0c8a7e2b11"],
}));
