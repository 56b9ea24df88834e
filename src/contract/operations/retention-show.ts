import * as v from "valibot";
import { operation } from "../operation.ts";
import { retentionRule } from "../retention.ts";

export const retentionShow = operation("retention.show", "retain", () => ({
  kind: "read",
  access: { on: "everybody" },
  summary: "Show the retention limits",
  detail:
    "A kind without a limit is kept forever. Whatever the limits, nothing is deleted that is still needed: waiting mail, " +
    "open threads, unread entries, messages a stored reader has not read, unfinished tasks.",
  input: () => v.strictObject({}),
  output: () => v.strictObject({ rules: v.array(retentionRule()) }),
  errors: [],
  http: ["GET /api/retention"],
  mcp: { none: "how long things are kept is for people to decide" },
  examples: ["inbox retain"],
}));
