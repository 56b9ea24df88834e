import * as v from "valibot";
import { operation } from "../operation.ts";
import { token, tokenId } from "../token.ts";

export const tokensRevoke = operation("tokens.revoke", "token revoke", () => ({
  kind: "write",
  access: { on: "bus", scopes: ["admin"] },
  summary: "Revoke a token immediately",
  input: () => v.strictObject({ id: tokenId() }),
  output: () => v.strictObject({ ...token().entries, already: v.boolean() }),
  errors: ["invalid_input", "not_found"],
  cli: { plain: ["id"] },
  http: ["POST /api/tokens/:id/revoke"],
  mcp: { none: "a model must not revoke tokens" },
  examples: ["inbox token revoke tok_1"],
}));
