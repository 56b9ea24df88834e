import * as v from "valibot";
import { operation } from "../operation.ts";
import { quota } from "../quota.ts";

export const quotasList = operation("quotas.list", "quota", () => ({
  kind: "read",
  access: { on: "everybody" },
  summary: "List the quotas: the one for all agents, and those of single agents",
  detail: "By default there are no quotas. An agent's own quota replaces the one for all agents.",
  input: () => v.strictObject({}),
  output: () => v.strictObject({ quotas: v.array(quota()) }),
  errors: [],
  http: ["GET /api/quotas"],
  mcp: { none: "a refusal says which quota was reached" },
  examples: ["inbox quota"],
}));
