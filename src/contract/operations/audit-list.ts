import * as v from "valibot";
import { integer, name } from "../fields.ts";
import { operation } from "../operation.ts";
import { auditRecord } from "../question.ts";
import { recipient } from "../recipient.ts";

export const auditList = operation("audit.list", "audit", () => ({
  kind: "read",
  access: { on: "bus", scopes: ["user", "leader", "admin"] },
  summary: "Show who asked what, and who answered, as JSON lines",
  detail: "The records are never changed; no command deletes them.",
  input: () =>
    v.strictObject({
      after: v.optional(
        integer("only records after number N (default: 0)", { min: 0, max: Number.MAX_SAFE_INTEGER }),
        0,
      ),
      limit: v.optional(integer("maximum number of records (default: 1000)", { min: 1, max: 10_000 }), 1000),
      agent: v.optional(name("only what this agent asked or answered", "AGENT", "of")),
    }),
  output: () =>
    v.strictObject({
      records: v.array(auditRecord()),
      hasMore: v.boolean(),
      /** Where there are no records of an agent: whether anybody has that name. */
      of: v.optional(recipient()),
      /** Where there are none after the given number: the number of the last one. */
      last: v.optional(v.number()),
    }),
  errors: ["invalid_input"],
  http: ["GET /api/audit"],
  mcp: { none: "for people who look at what was decided" },
  examples: ["inbox audit", "inbox audit --of user --after 100"],
}));
