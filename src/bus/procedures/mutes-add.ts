/** [U12] Muting an agent or a thread. */
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { insert } from "../../sql/table.ts";
import { mutes } from "../../sql/tables.ts";
import { seen } from "../agent.ts";
import { allMutes, mutedBy } from "../entry-folder.ts";
import { append } from "../event.ts";

export function* mutesAdd(tx: Context, input: ParsedOf<"mutes.add">): Procedure<OutputOf<"mutes.add">> {
  const which = yield* mutedBy(input);
  const now = yield* tx.clock();
  yield* seen(tx, input.agent, now);
  const added = yield* all(
    sql`${insert(mutes, { ...which, created_at: now })} on conflict (kind, name) do nothing returning name`,
  );
  const payload = { name: input.name ?? null, thread: input.thread ?? null };
  yield* append(tx, { type: "mute.added", source: input.agent, payload, now });
  return { already: !added.length, mutes: yield* allMutes() };
}
