import * as v from "valibot";
import { operation } from "../operation.ts";
import { quota } from "../quota.ts";

export const quotasList = operation({
  name: "quotas.list",
  kind: "read",
  access: { on: "everybody" },
  summary: "List the quotas: everybody's, and those of single agents",
  detail: "There are none until somebody sets them. An agent's own limit counts instead of everybody's.",
  input: () => v.strictObject({}),
  output: () => v.strictObject({ quotas: v.array(quota()) }),
  errors: [],
  cli: { command: "quota" },
  http: ["GET /api/quotas"],
  mcp: { none: "a refusal says which quota was reached" },
  examples: ["inbox quota"],
});
