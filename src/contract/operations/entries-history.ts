import * as v from "valibot";
import { entry, entryFolders, unreadLimit } from "../entry.ts";
import { entryPlace } from "../entry-place.ts";
import { choice, flag, integer } from "../fields.ts";
import { operation } from "../operation.ts";
import { workspaceId } from "../workspace.ts";

export const entriesHistory = operation("entries.history", "entries list", () => ({
  kind: "read",
  access: { on: "visible" },
  summary: "Show the person's inbox, newest first",
  detail: `Archived and snoozed entries are in folders of their own. The output includes the number of unread entries (of the workspace, if one is given); ${unreadLimit} means ${unreadLimit} or more.`,
  input: () =>
    v.strictObject({
      limit: v.optional(integer("maximum number of results (default: 50)", { min: 1, max: 200 }), 50),
      before: v.optional(
        entryPlace(
          "only entries older than this entry (it may be deleted) or this time (milliseconds or ISO 8601)",
        ),
      ),
      workspaceId: v.optional(workspaceId("only entries of this workspace")),
      unread: flag("only unread entries"),
      needsYou: flag("only entries that need the person: open questions, and failures"),
      folder: v.optional(choice(entryFolders, "which entries (default: inbox)"), "inbox"),
    }),
  output: () =>
    v.strictObject({
      entries: v.array(entry()),
      hasMore: v.boolean(),
      unread: v.number(),
      /** Nothing was found, and not every entry of the inbox was asked for. */
      filtered: v.optional(v.literal(true)),
    }),
  errors: ["invalid_input", "not_found"],
  http: ["GET /api/inbox/history"],
  mcp: { none: "the inbox belongs to the person; models have no access to it" },
  examples: ["inbox entries list --limit 20", "inbox entries list --unread"],
}));
