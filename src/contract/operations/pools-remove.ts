import * as v from "valibot";
import { name } from "../fields.ts";
import { operation } from "../operation.ts";

export const poolsRemove = operation("pools.remove", "pool remove", () => ({
  kind: "write",
  access: { on: "bus", scopes: ["leader", "admin"] },
  summary: "Remove a pool and its members, and free its name",
  detail:
    "Threads assigned to the pool stay; the output counts them, and reassign gives them to another agent.",
  input: () => v.strictObject({ pool: name("the pool", "POOL"), agent: name("who removes it", "AGENT") }),
  output: () => v.strictObject({ pool: v.string(), members: v.array(v.string()), pending: v.number() }),
  errors: ["invalid_input", "not_found"],
  cli: { plain: ["pool"], identity: "agent", identityDefault: "main" },
  http: ["POST /api/pools/:pool/remove"],
  mcp: { none: "who is in a pool is for its members and for people to decide" },
  examples: ["inbox pool remove backend"],
}));
