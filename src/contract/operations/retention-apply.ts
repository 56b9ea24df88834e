import * as v from "valibot";
import { excludes } from "../combinations.ts";
import { flag } from "../fields.ts";
import { operation } from "../operation.ts";
import { retentionCount, retentionKept } from "../retention.ts";

export const retentionApply = operation("retention.apply", "gc", () => ({
  kind: "write",
  access: { on: "bus", scopes: ["leader", "admin"] },
  summary: "Delete what exceeds the retention limits, and free its space",
  detail:
    "Runs in short transactions, so other writes are not blocked; it can be interrupted and run again. A hub does the same automatically. " +
    "Expired messages are deleted whatever the limits are. What is still needed is kept, whatever the limits are, and the answer says why: a thread, for example, until its result was collected.",
  input: () =>
    v.strictObject({
      dryRun: flag("delete nothing, only count what would be deleted now"),
      vacuum: flag("rewrite the whole database file; requires as much free disk space as the file takes"),
    }),
  combinations: [excludes("dryRun", "vacuum")],
  output: () =>
    v.strictObject({
      dryRun: v.boolean(),
      deleted: v.array(retentionCount()),
      expired: v.number(),
      /** What is over a limit and still needed. */
      kept: v.array(retentionKept()),
      /** Bytes of the database file that were given back to the file system; 0 where a server reuses its own space. */
      freedBytes: v.number(),
      /** What the operator should know, such as a file that cannot shrink. */
      warnings: v.optional(v.array(v.string())),
    }),
  errors: ["invalid_input"],
  http: ["POST /api/gc"],
  mcp: { none: "how long things are kept is for people to decide" },
  examples: ["inbox gc --dry-run", "inbox gc", "inbox gc --vacuum"],
}));
