import * as v from "valibot";
import { person } from "../entry.ts";
import { entryPlace } from "../entry-place.ts";
import { name } from "../fields.ts";
import { operation } from "../operation.ts";
import { field, phrase } from "../phrase.ts";
import { workspaceId } from "../workspace.ts";

export const entriesReadAll = operation("entries.readAll", "entries read-all", () => ({
  kind: "write",
  access: { on: "person", does: "change" },
  summary: "Mark all entries of the inbox as read",
  detail: phrase`With ${field("upTo")}, entries newer than the given one stay unread: give the newest entry that the person has seen.`,
  input: () =>
    v.strictObject({
      workspaceId: v.optional(workspaceId("only entries of this workspace")),
      upTo: v.optional(entryPlace("only this entry and older ones, or those up to this time")),
      agent: v.optional(name("who read them", "NAME"), person),
    }),
  output: () => v.strictObject({ read: v.number() }),
  errors: ["invalid_input", "not_found"],
  cli: { identity: "agent", identityDefault: person },
  http: ["PUT /api/inbox/read"],
  mcp: { none: "the inbox belongs to the person; models have no access to it" },
  examples: ["inbox entries read-all"],
}));
