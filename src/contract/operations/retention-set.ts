import * as v from "valibot";
import { choice, name } from "../fields.ts";
import { limitToSet } from "../limit.ts";
import { operation } from "../operation.ts";
import { call, field, phrase } from "../phrase.ts";
import { retentionKinds, retentionRule } from "../retention.ts";

/** A hundred years. */
const longest = 36_525;

export const retentionSet = operation("retention.set", "retain set", () => ({
  kind: "write",
  access: { on: "bus", scopes: ["leader", "admin"] },
  summary: "Set the retention limits of one kind, or of all",
  detail: phrase`The hub and ${call("retention.apply")} delete what is older than ${field("days")} or not among the newest ${field("count")}, once nobody needs it any more. A limit that is not given stays as it is; the value none removes one. A call without either removes both: everything of that kind is kept.`,
  input: () =>
    v.strictObject({
      kind: choice(
        [...retentionKinds, "all"],
        `the kind of data: ${retentionKinds.join(", ")}, or all`,
        "KIND",
      ),
      days: limitToSet("delete what is older than N days", { min: 0, max: longest, whole: false }),
      agent: name("who changes it", "AGENT"),
      count: limitToSet("keep only the newest N", { min: 0, max: 1e12, whole: true }),
    }),
  output: () =>
    v.strictObject({ kind: v.picklist([...retentionKinds, "all"]), rules: v.array(retentionRule()) }),
  errors: ["invalid_input"],
  cli: { plain: ["kind"], identity: "agent", identityDefault: "main" },
  http: ["PUT /api/retention/:kind"],
  mcp: { none: "how long things are kept is for people to decide" },
  examples: [
    "inbox retain set events --days 30",
    "inbox retain set mail --days 90 --count 1000000",
    "inbox retain set mail --count none",
    "inbox retain set all --days 365",
  ],
}));
