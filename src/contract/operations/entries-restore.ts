import { person, restoreSeconds } from "../entry.ts";
import { entryChange } from "../entry-change.ts";
import { operation } from "../operation.ts";

export const entriesRestore = operation("entries.restore", "entries restore", () => ({
  ...entryChange("who restores it"),
  summary: "Restore an entry that was just deleted",
  detail: `This works for ${restoreSeconds} seconds after the deletion. An entry that was not deleted is left unchanged.`,
  cli: { plain: ["id"], identity: "agent", identityDefault: person },
  http: ["POST /api/inbox/:id/restore"],
  examples: ["inbox entries restore 0b7d2c1e-5f3a-4a44-9d86-1f0c8a7e2b11"],
}));
