import * as v from "valibot";
import { unreadLimit } from "../entry.ts";
import { operation } from "../operation.ts";

export const entriesCounts = operation("entries.counts", "entries counts", () => ({
  kind: "read",
  access: { on: "person", does: "read" },
  summary: "Count the entries of the inbox",
  detail: `Counts the unread entries and those that need the person, in total and per workspace; ${unreadLimit} means ${unreadLimit} or more. Also counts the snoozed entries and says when the next one comes back.`,
  input: () => v.strictObject({}),
  output: () =>
    v.strictObject({
      unread: v.number(),
      needsYou: v.number(),
      snoozed: v.number(),
      nextWake: v.nullable(v.string()),
      workspaces: v.array(
        v.strictObject({ workspaceId: v.string(), unread: v.number(), needsYou: v.number() }),
      ),
    }),
  errors: [],
  http: ["GET /api/inbox/counts"],
  mcp: { none: "the inbox belongs to the person; models have no access to it" },
  examples: ["inbox entries counts"],
}));
