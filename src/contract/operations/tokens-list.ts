import * as v from "valibot";
import { operation } from "../operation.ts";
import { token } from "../token.ts";

export const tokensList = operation("tokens.list", "token list", () => ({
  kind: "read",
  access: { on: "bus", scopes: ["admin"] },
  summary: "List tokens with their agents and scopes, never the secret",
  input: () => v.strictObject({}),
  output: () => v.strictObject({ tokens: v.array(token()) }),
  errors: [],
  http: ["GET /api/tokens"],
  mcp: { none: "a model has no use for tokens" },
  examples: ["inbox token list"],
}));
