/** [X2] Tokens as they are stored, and the agent that one belongs to. Only hashes are stored; callers pass the hash. */
import type { OutputOf } from "../contract/operations/index.ts";
import type { Scope } from "../contract/token.ts";
import type { Procedure } from "../sql/procedure.ts";
import { one } from "../sql/procedure.ts";
import { sql } from "../sql/sql.ts";
import { columnsOf, part, type RowOf } from "../sql/table.ts";
import { tokens } from "../sql/tables.ts";

/** All columns but the hash, which nobody is shown. */
const withoutHash = part(tokens, "token_id", "agent_id", "scope", "created_at", "revoked_at");
export const tokenColumns = columnsOf(withoutHash);
export type TokenRow = RowOf<typeof withoutHash>;

export type TokenView = OutputOf<"tokens.list">["tokens"][number];

export const tokenView = (row: TokenRow): TokenView => ({
  tokenId: `tok_${row.token_id}`,
  agentId: row.agent_id,
  scope: row.scope,
  createdAt: row.created_at,
  revokedAt: row.revoked_at,
});

export interface Owner {
  agent: string;
  scope: Scope;
  /** It was lent to a sub-agent that runs. */
  subAgent: boolean;
}

export function* tokenOwner(hash: string): Procedure<Owner | null> {
  const row = yield* one<Pick<TokenRow, "agent_id" | "scope"> & { lent: number }>(sql`
    select tokens.agent_id, tokens.scope, (
      select count(*) from tasks where tasks.name = tokens.agent_id and tasks.status <> 'finished'
        and tasks.token_id = tokens.token_id) as lent
    from tokens where tokens.token_hash = ${hash} and tokens.revoked_at is null`);
  return row ? { agent: row.agent_id, scope: row.scope, subAgent: row.lent > 0 } : null;
}

export function* hasTokens(): Procedure<boolean> {
  return (
    (yield* one(sql`select 1 as some from tokens where tokens.revoked_at is null limit 1`)) !== undefined
  );
}
