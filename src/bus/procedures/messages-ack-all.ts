/** [M4] Acknowledging all that is pending on a channel. */
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { buryDoomed } from "../hand-over/hand.ts";
import { acknowledge } from "../message.ts";
import { and, visible } from "../visible.ts";
import { collected } from "./messages-ack.ts";

export function* messagesAckAll(
  tx: Context,
  { channel, agent }: ParsedOf<"messages.ackAll">,
): Procedure<OutputOf<"messages.ackAll">> {
  yield* tx.own(`inbox:${channel}`);
  const now = yield* tx.clock();
  yield* buryDoomed(tx, now, channel);
  const changed = yield* acknowledge({
    agent,
    names: [channel],
    which: sql`to_agent = ${channel} and acked_at is null and dead_at is null and (expires_at is null or expires_at > ${now}) ${and(visible.messages(tx))}`,
    now,
    taken: true,
  });
  if (changed.length) yield* collected(tx, agent, changed, now);
  return { channel, ackedCount: changed.length };
}
