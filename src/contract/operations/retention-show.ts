import * as v from "valibot";
import { operation } from "../operation.ts";
import { retentionRule } from "../retention.ts";

export const retentionShow = operation({
  name: "retention.show",
  kind: "read",
  access: { on: "everybody" },
  summary: "Show how long the bus keeps what is over",
  detail:
    "A kind without a limit is kept for ever. Whatever the limits say, nothing is deleted that somebody still needs: mail that " +
    "waits, open threads, unread entries, what a stored reader has not read, tasks that have not finished.",
  input: () => v.strictObject({}),
  output: () => v.strictObject({ rules: v.array(retentionRule()) }),
  errors: [],
  cli: { command: "retain" },
  http: ["GET /api/retention"],
  mcp: { none: "how long things are kept is for people to decide" },
  examples: ["inbox retain"],
});
