/** [X2] Revoking a token. */

import { InboxError } from "../../contract/errors.ts";
import { numberOf } from "../../contract/ids.ts";
import type { OutputOf } from "../../contract/operations/index.ts";
import { call, phrase } from "../../contract/phrase.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { one } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { append } from "../event.ts";
import { forgetDevicesOf } from "../notification.ts";
import { type TokenRow, tokenColumns, tokenView } from "../token.ts";

export function* tokensRevoke(tx: Context, { id }: { id: string }): Procedure<OutputOf<"tokens.revoke">> {
  const now = yield* tx.clock();
  const number = numberOf(id);
  const changed = yield* one<TokenRow>(sql`
    update tokens set revoked_at = ${now} where token_id = ${number} and revoked_at is null
    returning ${tokenColumns}`);
  if (changed) {
    yield* forgetDevicesOf(changed.agent_id);
    yield* append(tx, {
      type: "token.revoked",
      source: changed.agent_id,
      payload: { token: `tok_${number}` },
      now,
    });
    return { ...tokenView(changed), already: false };
  }
  const before = yield* one<TokenRow>(sql`
    select ${tokenColumns} from tokens
    where tokens.token_id = ${number}`);
  if (!before)
    throw new InboxError("not_found", `there is no token ${id}`, {
      hint: phrase`${call("tokens.list")} lists the tokens`,
    });
  return { ...tokenView(before), already: true };
}
