import { operation } from "../operation.ts";
import { poolInput, poolOutput } from "../pool.ts";

export const poolsLeave = operation("pools.leave", "pool leave", () => ({
  kind: "write",
  access: { on: "own" },
  summary: "Leave a pool; threads you hold stay yours",
  input: poolInput,
  output: poolOutput,
  errors: ["invalid_input"],
  cli: { plain: ["pool"], identity: "agent" },
  http: ["POST /api/pools/:pool/leave"],
  mcp: {
    tool: "pool_leave",
    set: "worker",
    idempotent: true,
    use: "Leave a pool.",
    says: { pool: "the name of the pool" },
  },
  examples: ["inbox pool leave backend --agent worker-1"],
}));
