import * as v from "valibot";
import { unreadLimit } from "../entry.ts";
import { operation } from "../operation.ts";

export const entriesCounts = operation({
  name: "entries.counts",
  kind: "read",
  access: { on: "person", does: "read" },
  summary: "Count the entries of the inbox",
  detail: `How many are unread and how many need the person, in all and in each workspace; ${unreadLimit} means ${unreadLimit} or more. Also how many are snoozed, and when the next of them comes back.`,
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
  cli: { command: "entries counts" },
  http: ["GET /api/inbox/counts"],
  mcp: { none: "the inbox belongs to the person; models have no access to it" },
  examples: ["inbox entries counts"],
});
