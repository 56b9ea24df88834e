import { person } from "../entry.ts";
import { entryChange } from "../entry-change.ts";
import { operation } from "../operation.ts";

export const entriesUnsnooze = operation("entries.unsnooze", "entries unsnooze", () => ({
  ...entryChange("who brings it back"),
  summary: "Bring a snoozed entry back now",
  detail: "An entry that is not snoozed stays as it is; the call returns already: true.",
  cli: { plain: ["id"], identity: "agent", identityDefault: person },
  http: ["DELETE /api/inbox/:id/snooze"],
  examples: ["inbox entries unsnooze 0b7d2c1e-5f3a-4a44-9d86-1f0c8a7e2b11"],
}));
