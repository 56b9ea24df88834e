/** [T4] What an agent could work on. Changes nothing. */
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { namesOf } from "../agent.ts";
import { candidates } from "../candidates.ts";
import { toldWithoutWork } from "../held-threads.ts";
import { leaseView } from "../lease.ts";
import { threadView } from "../thread.ts";

export function* threadsFetch(
  tx: Context,
  input: ParsedOf<"threads.fetch">,
): Procedure<OutputOf<"threads.fetch">> {
  const nextEventId = yield* tx.settled(); // before everything else that is read
  const now = yield* tx.clock();
  const names = yield* namesOf(input.agent);
  const found = yield* candidates(
    {
      names,
      statuses: [...new Set(input.status)],
      unreadBy: input.unread ? input.agent : undefined,
      limit: input.limit,
    },
    now,
  );
  const threads = found.map(({ thread, lease, claimable }) => ({
    ...threadView(thread),
    claimable,
    lease: lease ? leaseView(lease, now) : null,
  }));
  return { threads, nextEventId, ...(!threads.length && (yield* toldWithoutWork(tx, input.agent))) };
}
