/** [X2] A new token. Only its hash is stored. */
import type { Scope } from "../../contract/token.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { one } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { insert } from "../../sql/table.ts";
import { tokens } from "../../sql/tables.ts";
import { seen } from "../agent.ts";
import { append } from "../event.ts";
import { type TokenRow, type TokenView, tokenColumns, tokenView } from "../token.ts";

export function* tokensCreate(
  tx: Context,
  { agent, scope, hash }: { agent: string; scope: Scope; hash: string },
): Procedure<TokenView> {
  const now = yield* tx.clock();
  yield* seen(tx, agent, now);
  const row = yield* one<TokenRow>(sql`
    ${insert(tokens, { agent_id: agent, scope, token_hash: hash, created_at: now })}
    returning ${tokenColumns}`);
  yield* append(tx, {
    type: "token.created",
    source: agent,
    payload: { token: `tok_${row!.token_id}`, scope },
    now,
  });
  return tokenView(row!);
}
