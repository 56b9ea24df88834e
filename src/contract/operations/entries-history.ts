import * as v from "valibot";
import { entry, unreadLimit } from "../entry.ts";
import { entryPlace } from "../entry-place.ts";
import { flag, integer } from "../fields.ts";
import { operation } from "../operation.ts";
import { workspaceId } from "../workspace.ts";

export const entriesHistory = operation({
  name: "entries.history",
  kind: "read",
  access: { on: "visible" },
  summary: "Show the person's inbox, newest first",
  detail: `With the number of unread ones, of the workspace if one is named; ${unreadLimit} means as many or more.`,
  input: () =>
    v.strictObject({
      limit: v.optional(integer("at most so many (default: 50)", { min: 1, max: 200 }), 50),
      before: v.optional(
        entryPlace(
          "only entries older than this one, which may be deleted, or than a time (milliseconds, ISO 8601)",
        ),
      ),
      workspaceId: v.optional(workspaceId("only of this workspace")),
      unread: flag("only those that are not read yet"),
    }),
  output: () => v.strictObject({ entries: v.array(entry()), hasMore: v.boolean(), unread: v.number() }),
  errors: ["invalid_input", "not_found"],
  cli: { command: "entries list" },
  http: ["GET /api/inbox/history"],
  mcp: { none: "it is the person's, not a model's" },
  examples: ["inbox entries list --limit 20", "inbox entries list --unread"],
});
