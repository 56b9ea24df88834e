/** [X2] A new token. Only its hash is stored. */
import type { Scope } from "../../contract/token.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { one } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { seen } from "../agent.ts";
import { append } from "../event.ts";
import { type TokenRow, type TokenView, tokenView } from "../token.ts";

export function* tokensCreate(
  tx: Context,
  { agent, scope, hash }: { agent: string; scope: Scope; hash: string },
): Procedure<TokenView> {
  const now = yield* tx.clock();
  yield* seen(tx, agent, now);
  const row = yield* one<TokenRow>(sql`
    insert into tokens (agent_id, scope, token_hash, created_at) values (${agent}, ${scope}, ${hash}, ${now})
    returning token_id, agent_id, scope, created_at, revoked_at`);
  yield* append(tx, {
    type: "token.created",
    source: agent,
    payload: { token: `tok_${row!.token_id}`, scope },
    now,
  });
  return tokenView(row!);
}
