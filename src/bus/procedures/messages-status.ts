import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { aged, channelView, findMessage, unexpired } from "../channel.ts";

/** [M11] What became of a message. */
export function* messagesStatus(
  tx: Context,
  { id }: ParsedOf<"messages.status">,
): Procedure<OutputOf<"messages.status">> {
  const now = yield* tx.clock();
  const row = aged(yield* findMessage(id, unexpired(now)), now);
  return {
    id,
    channel: row.to_agent,
    sender: row.from_agent,
    status: channelView(row).status,
    storedAt: row.created_at,
    firstHandedAt: row.first_handed_at,
    handed: row.handed,
    ackedAt: row.acked_at,
    ackedBy: row.acked_by,
    deadAt: row.dead_at,
    deadReason: row.dead_reason,
    expiresAt: row.expires_at,
  };
}
