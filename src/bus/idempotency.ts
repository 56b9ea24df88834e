/** [M9] A write with a key is applied once: a repeated call gets the first answer. */
import { isClientKey } from "../contract/client-key.ts";
import { InboxError } from "../contract/errors.ts";
import type { Context, Procedure } from "../sql/procedure.ts";
import { alone, one, Refused, run } from "../sql/procedure.ts";
import { sql } from "../sql/sql.ts";
import { columnsOf, insert, part, type RowOf } from "../sql/table.ts";
import { idempotencyKeys } from "../sql/tables.ts";
import { earlierBy } from "./expiry.ts";

const keptMs = 7 * 86_400_000;
const clientKeptMs = 3_600_000;

export interface Keyed {
  key: string;
  sender: string;
  operation: string;
  /** The input as text, or its hash if the text is long. */
  input: string;
  /** The whole text: earlier versions stored that. */
  inputText: string;
}

const remembered = part(idempotencyKeys, "operation", "input_json", "result_json");
const rememberedColumns = columnsOf(remembered);

export function* onlyOnce<T>(
  tx: Context,
  { key, sender, operation, input, inputText }: Keyed,
  work: () => Procedure<T | Refused>,
): Procedure<T | Refused> {
  yield* alone(tx, `key:${sender}:${key}`);
  const now = yield* tx.clock();
  yield* run(sql`delete from idempotency_keys where created_at < ${earlierBy(keptMs, now)}`);
  const before = yield* one<RowOf<typeof remembered>>(sql`
    select ${rememberedColumns} from idempotency_keys
    where idempotency_keys.sender = ${sender} and idempotency_keys.idempotency_key = ${key}`);
  if (before) {
    const same = before.input_json === input || before.input_json === inputText;
    if (before.operation !== operation || !same)
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
      input_json: input,
      result_json: JSON.stringify(result),
      // A key that the client has generated is stored with an earlier time, so that it is deleted sooner: one index
      // serves both kinds.
      created_at: isClientKey(key) ? earlierBy(keptMs - clientKeptMs, now) : now,
    }),
  );
  return result;
}
