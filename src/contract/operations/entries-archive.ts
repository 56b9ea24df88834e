import { person } from "../entry.ts";
import { entryChange } from "../entry-change.ts";
import { operation } from "../operation.ts";

export const entriesArchive = operation("entries.archive", "entries archive", () => ({
  ...entryChange("who archives it"),
  summary: "Archive an entry: the person is done with it",
  detail:
    "The entry leaves the inbox and is marked as read; it stays in the archive and in search. Archiving it again changes nothing and returns already: true.",
  cli: { plain: ["id"], identity: "agent", identityDefault: person },
  http: ["PUT /api/inbox/:id/archive"],
  examples: ["inbox entries archive 0b7d2c1e-5f3a-4a44-9d86-1f0c8a7e2b11"],
}));
