/** [U12] Unmuting an agent or a thread. */
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { seen } from "../agent.ts";
import { allMutes, mutedBy } from "../entry-folder.ts";
import { append } from "../event.ts";

export function* mutesRemove(
  tx: Context,
  input: ParsedOf<"mutes.remove">,
): Procedure<OutputOf<"mutes.remove">> {
  const which = yield* mutedBy(input);
  const now = yield* tx.clock();
  yield* seen(tx, input.agent, now);
  const removed = yield* all(
    sql`delete from mutes where kind = ${which.kind} and name = ${which.name} returning name`,
  );
  const payload = { name: input.name ?? null, thread: input.thread ?? null };
  yield* append(tx, { type: "mute.removed", source: input.agent, payload, now });
  return { already: !removed.length, mutes: yield* allMutes() };
}
