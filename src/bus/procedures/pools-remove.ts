/** [T12] Removing a pool. */

import { InboxError } from "../../contract/errors.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import { call, phrase } from "../../contract/phrase.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { one, run } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { seen } from "../agent.ts";
import { append } from "../event.ts";
import { membersOf, pendingFor } from "../pool.ts";

export function* poolsRemove(
  tx: Context,
  { pool, agent }: ParsedOf<"pools.remove">,
): Procedure<OutputOf<"pools.remove">> {
  const now = yield* tx.clock();
  const members = yield* membersOf(pool);
  yield* run(sql`delete from pool_members where pool = ${pool}`);
  const there = yield* one<{ pending: number }>(sql`
    delete from pools where pool = ${pool} returning ${pendingFor(pool)} as pending`);
  if (!there)
    throw new InboxError("not_found", `there is no pool "${pool}"`, {
      hint: phrase`${call("pools.list")} lists the pools`,
    });
  yield* seen(tx, agent, now);
  yield* append(tx, { type: "pool.removed", source: agent, payload: { pool, members }, now });
  return { pool, members, pending: there.pending };
}
