/** [X2] Tokens: made, listed, revoked, recognised. Only hashes are stored; whoever asks brings the hash. */
import { InboxError } from "../../contract/errors.ts";
import { numberOf } from "../../contract/ids.ts";
import type { OutputOf } from "../../contract/operations/index.ts";
import { call, phrase } from "../../contract/phrase.ts";
import type { Scope } from "../../contract/token.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all, one } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { seen } from "../agent.ts";
import { append } from "../event.ts";

interface TokenRow {
  token_id: number;
  agent_id: string;
  scope: Scope;
  created_at: string;
  revoked_at: string | null;
}

type TokenView = OutputOf<"tokens.list">["tokens"][number];

const view = (row: TokenRow): TokenView => ({
  tokenId: `tok_${row.token_id}`,
  agentId: row.agent_id,
  scope: row.scope,
  createdAt: row.created_at,
  revokedAt: row.revoked_at,
});

export function* tokenCreate(
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
  return view(row!);
}

export function* tokenList(_: Context): Procedure<OutputOf<"tokens.list">> {
  const rows = yield* all<TokenRow>(sql`
    select tokens.token_id, tokens.agent_id, tokens.scope, tokens.created_at, tokens.revoked_at from tokens
    order by tokens.token_id`);
  return { tokens: rows.map(view) };
}

export function* tokenRevoke(tx: Context, { id }: { id: string }): Procedure<OutputOf<"tokens.revoke">> {
  const now = yield* tx.clock();
  const number = numberOf(id);
  const changed = yield* one<TokenRow>(sql`
    update tokens set revoked_at = ${now} where token_id = ${number} and revoked_at is null
    returning token_id, agent_id, scope, created_at, revoked_at`);
  if (changed) {
    yield* append(tx, {
      type: "token.revoked",
      source: changed.agent_id,
      payload: { token: `tok_${number}` },
      now,
    });
    return { ...view(changed), already: false };
  }
  const before = yield* one<TokenRow>(sql`
    select tokens.token_id, tokens.agent_id, tokens.scope, tokens.created_at, tokens.revoked_at from tokens
    where tokens.token_id = ${number}`);
  if (!before)
    throw new InboxError("not_found", `there is no token ${id}`, {
      hint: phrase`${call("tokens.list")} shows them`,
    });
  return { ...view(before), already: true };
}

export interface Owner {
  agent: string;
  scope: Scope;
  /** It was lent to a sub-agent that runs. */
  subAgent: boolean;
}

export function* tokenOwner(hash: string): Procedure<Owner | null> {
  const row = yield* one<TokenRow & { lent: number }>(sql`
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
