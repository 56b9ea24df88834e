/** [X2] All tokens, also revoked ones. */
import type { OutputOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { type TokenRow, tokenColumns, tokenView } from "../token.ts";

export function* tokensList(_: Context): Procedure<OutputOf<"tokens.list">> {
  const rows = yield* all<TokenRow>(sql`
    select ${tokenColumns} from tokens
    order by tokens.token_id`);
  return { tokens: rows.map(tokenView) };
}
