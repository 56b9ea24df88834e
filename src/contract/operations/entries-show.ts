import * as v from "valibot";
import { documentState } from "../document.ts";
import { entry, entryId, person } from "../entry.ts";
import { flag, name } from "../fields.ts";
import { operation } from "../operation.ts";
import { field, phrase } from "../phrase.ts";
import { approval } from "../question.ts";
import { workspace } from "../workspace.ts";

export const entriesShow = operation("entries.show", "entries show", () => ({
  kind: "read",
  access: { on: "entry", by: "id", does: "read", marking: "change" },
  summary: "Show one entry of the person's inbox, and its documents as they are now",
  detail: phrase`Without ${field("markRead")} nothing is changed. A program that shows the entry to the person should use it, as the page does.`,
  input: () =>
    v.strictObject({
      id: entryId(),
      markRead: flag("mark it as read; if it is a message, acknowledge it"),
      agent: v.optional(name(phrase`who reads, with ${field("markRead")}`, "NAME"), person),
    }),
  output: () =>
    v.strictObject({
      entry: entry(),
      /** Null where it has none, or where that was removed. */
      workspace: v.nullable(workspace()),
      /** Of a question whether a tool may be used: which, with what, and where. */
      approval: v.nullable(approval()),
      documents: v.array(documentState()),
    }),
  errors: ["invalid_input", "not_found"],
  cli: { plain: ["id"], identity: "agent", identityDefault: person },
  marks: { with: "markRead" },
  http: ["POST /api/inbox/:id/show", "GET /api/inbox/:id"],
  mcp: { none: "the inbox belongs to the person; models have no access to it" },
  examples: ["inbox entries show 0b7d2c1e-5f3a-4a44-9d86-1f0c8a7e2b11 --mark-read"],
}));
