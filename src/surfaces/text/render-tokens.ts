/** Tokens and the agents they belong to. */
import type { NounRenders } from "./noun-renders.ts";
import { cut, safe } from "./safe.ts";
import { textTable } from "./text-table.ts";
import { relative } from "./time.ts";

export const tokenRenders: NounRenders<"tokens"> = {
  "tokens.create": ({ token, tokenId, agentId, scope }, paint) =>
    `${token}\n${paint.dim(`${tokenId}: ${scope} for ${safe(agentId)}. It is not shown again; use it as INBOX_TOKEN.`)}`,
  "tokens.list": ({ tokens }, paint) => {
    if (!tokens.length) return "no tokens";
    const rows = tokens.map((token) => [
      token.tokenId,
      cut(token.agentId, 30),
      token.scope,
      relative(token.createdAt),
      token.revokedAt ? `revoked ${relative(token.revokedAt)}` : "valid",
    ]);
    return textTable(["TOKEN", "AGENT", "SCOPE", "MADE", "STATE"], rows, paint.dim);
  },
  "tokens.revoke": ({ tokenId, already }) => `${tokenId} ${already ? "was already revoked" : "revoked"}`,
};
