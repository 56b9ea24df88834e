/** [M9] A write that carries a key happens once: a repeated call gets the first answer. */
import { InboxError } from "../contract/errors.ts";
import type { Context, Procedure } from "../sql/procedure.ts";
import { alone, one, Refused, run } from "../sql/procedure.ts";
import { sql } from "../sql/sql.ts";
import { columnsOf, insert, part, type RowOf } from "../sql/table.ts";
import { idempotencyKeys } from "../sql/tables.ts";

const keptMs = 7 * 86_400_000;

export interface Keyed {
  key: string;
  sender: string;
  operation: string;
  input: unknown;
}

const remembered = part(idempotencyKeys, "operation", "input_json", "result_json");
const rememberedColumns = columnsOf(remembered);

export function* onlyOnce<T>(
  tx: Context,
  { key, sender, operation, input }: Keyed,
  work: () => Procedure<T | Refused>,
): Procedure<T | Refused> {
  yield* alone(tx, `key:${sender}:${key}`);
  const now = yield* tx.clock();
  const oldest = new Date(Date.parse(now) - keptMs).toISOString();
  yield* run(sql`delete from idempotency_keys where created_at < ${oldest}`);
  const given = JSON.stringify(input);
  const before = yield* one<RowOf<typeof remembered>>(sql`
    select ${rememberedColumns} from idempotency_keys
    where idempotency_keys.sender = ${sender} and idempotency_keys.idempotency_key = ${key}`);
  if (before) {
    if (before.operation !== operation || before.input_json !== given)
      throw new InboxError(
        "conflict",
        `the idempotency key "${key}" was already used by "${sender}" with different input`,
      );
    return { ...JSON.parse(before.result_json), deduplicated: true } as T;
  }
  const result = yield* work();
  if (result instanceof Refused) return result;
  yield* run(
    insert(idempotencyKeys, {
      sender,
      idempotency_key: key,
      operation,
      input_json: given,
      result_json: JSON.stringify(result),
      created_at: now,
    }),
  );
  return result;
}
