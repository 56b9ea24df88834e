import { person } from "../entry.ts";
import { entryChange } from "../entry-change.ts";
import { operation } from "../operation.ts";

export const entriesRead = operation("entries.read", "entries read", () => ({
  ...entryChange("who read it"),
  summary: "Mark an entry as read",
  detail:
    "If the entry is a message to the person, that message is acknowledged. Marking it again changes nothing and returns already: true.",
  cli: { plain: ["id"], identity: "agent", identityDefault: person },
  http: ["PUT /api/inbox/:id/read"],
  examples: ["inbox entries read 0b7d2c1e-5f3a-4a44-9d86-1f0c8a7e2b11"],
}));
