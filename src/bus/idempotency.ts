/** [M9] A write that carries a key happens once: a repeated call gets the first answer. */
import { InboxError } from "../contract/errors.ts";
import type { Context, Procedure } from "../sql/procedure.ts";
import { alone, one, Refused, run } from "../sql/procedure.ts";
import { sql } from "../sql/sql.ts";

const keptMs = 7 * 86_400_000;

export interface Keyed {
  key: string;
  sender: string;
  operation: string;
  input: unknown;
}

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
  const before = yield* one<{ operation: string; input_json: string; result_json: string }>(sql`
    select idempotency_keys.operation, idempotency_keys.input_json, idempotency_keys.result_json from idempotency_keys
    where idempotency_keys.sender = ${sender} and idempotency_keys.idempotency_key = ${key}`);
  if (before) {
    if (before.operation !== operation || before.input_json !== given)
      throw new InboxError(
        "conflict",
        `the idempotency key "${key}" was used by "${sender}" for something else`,
      );
    return { ...JSON.parse(before.result_json), deduplicated: true } as T;
  }
  const result = yield* work();
  if (result instanceof Refused) return result;
  yield* run(sql`
    insert into idempotency_keys (sender, idempotency_key, operation, input_json, result_json, created_at)
    values (${sender}, ${key}, ${operation}, ${given}, ${JSON.stringify(result)}, ${now})`);
  return result;
}
