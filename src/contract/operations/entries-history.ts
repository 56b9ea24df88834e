import * as v from "valibot";
import { entry } from "../entry.ts";
import { integer, text } from "../fields.ts";
import { operation } from "../operation.ts";
import { workspaceId } from "../workspace.ts";

export const entryHistory = operation({
  name: "entries.history",
  kind: "read",
  scope: "worker",
  summary: "Show the person's inbox, newest first",
  input: () =>
    v.strictObject({
      limit: v.optional(integer("at most so many (default: 50)", { min: 1, max: 200 }), 50),
      before: v.optional(text("only entries older than this one", { limit: 64, value: "ENTRY" })),
      workspaceId: v.optional(workspaceId("only of this workspace")),
    }),
  output: () => v.strictObject({ entries: v.array(entry()), hasMore: v.boolean() }),
  errors: ["invalid_input", "not_found"],
  cli: { command: "entries list" },
  http: ["GET /api/inbox/history"],
  mcp: { none: "it is the person's, not a model's" },
  examples: ["inbox entries list --limit 20"],
});
