import { operation } from "../operation.ts";
import { poolInput, poolOutput } from "../pool.ts";

export const poolsJoin = operation("pools.join", "pool join", () => ({
  kind: "write",
  access: { on: "pool", by: "pool", does: "change" },
  summary: "Join a pool, to fetch and claim threads assigned to it",
  input: poolInput,
  output: poolOutput,
  errors: ["invalid_input"],
  cli: { plain: ["pool"], identity: "agent" },
  http: ["POST /api/pools/:pool/join"],
  mcp: {
    tool: "pool_join",
    set: "worker",
    idempotent: true,
    use: "Join a pool, to claim threads assigned to it.",
    says: { pool: "the name of the pool" },
  },
  examples: ["inbox pool join backend --agent worker-1"],
}));
