import * as v from "valibot";
import { entry, entryId, person } from "../entry.ts";
import { name } from "../fields.ts";
import { operation } from "../operation.ts";

export const entriesArchive = operation({
  name: "entries.archive",
  kind: "write",
  access: { on: "entry", by: "id", does: "change" },
  summary: "Archive an entry: the person is done with it",
  detail:
    "The entry leaves the inbox and is marked as read; it stays in the archive and in search. Archiving it again changes nothing and returns already: true.",
  input: () => v.strictObject({ id: entryId(), agent: v.optional(name("who archives it", "NAME"), person) }),
  output: () => v.strictObject({ entry: entry(), already: v.boolean() }),
  errors: ["invalid_input", "not_found"],
  cli: { command: "entries archive", plain: ["id"], identity: "agent", identityDefault: person },
  http: ["PUT /api/inbox/:id/archive"],
  mcp: { none: "the inbox belongs to the person; models have no access to it" },
  examples: ["inbox entries archive 0b7d2c1e-5f3a-4a44-9d86-1f0c8a7e2b11"],
});
