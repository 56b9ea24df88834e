/** [X2] Tokens: made, listed, revoked, recognised. Only hashes are stored; whoever asks brings the hash. */
import { InboxError } from "../contract/errors.ts";
import { numberOf } from "../contract/ids.ts";
import type { OutputOf } from "../contract/operations/index.ts";
import type { Scope } from "../contract/token.ts";
import type { Context, Procedure } from "../sql/procedure.ts";
import { all, one } from "../sql/procedure.ts";
import { sql } from "../sql/sql.ts";
import { columnsOf, insert, part, type RowOf } from "../sql/table.ts";
import { tokens } from "../sql/tables.ts";
import { seen } from "./agent.ts";
import { append } from "./event.ts";

/** All but the hash, which nobody is shown. */
const shown = part(tokens, "token_id", "agent_id", "scope", "created_at", "revoked_at");
const shownColumns = columnsOf(shown);
type TokenRow = RowOf<typeof shown>;

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
    ${insert(tokens, { agent_id: agent, scope, token_hash: hash, created_at: now })}
    returning ${shownColumns}`);
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
    select ${shownColumns} from tokens
    order by tokens.token_id`);
  return { tokens: rows.map(view) };
}

export function* tokenRevoke(tx: Context, { id }: { id: string }): Procedure<OutputOf<"tokens.revoke">> {
  const now = yield* tx.clock();
  const number = numberOf(id);
  const changed = yield* one<TokenRow>(sql`
    update tokens set revoked_at = ${now} where token_id = ${number} and revoked_at is null
    returning ${shownColumns}`);
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
    select ${shownColumns} from tokens
    where tokens.token_id = ${number}`);
  if (!before)
    throw new InboxError("not_found", `there is no token ${id}`, { hint: "inbox token list shows them" });
  return { ...view(before), already: true };
}

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
