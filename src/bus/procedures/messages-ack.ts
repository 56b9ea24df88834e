/** [M4] Acknowledging: pending → acked, once. */
import { InboxError } from "../../contract/errors.ts";
import { idOf } from "../../contract/ids.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import { call, phrase } from "../../contract/phrase.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { seen } from "../agent.ts";
import { aged, channelView, findMessage, unexpired } from "../channel.ts";
import { append } from "../event.ts";
import { acknowledge } from "../message.ts";

export function* messagesAck(
  tx: Context,
  { id, agent }: ParsedOf<"messages.ack">,
): Procedure<OutputOf<"messages.ack">> {
  const now = yield* tx.clock();
  const found = aged(yield* findMessage(id, unexpired(now)), now);
  if (found.dead_at !== null)
    throw new InboxError("invalid_state", `message ${id} is a dead letter: ${found.dead_reason}`, {
      hint: phrase`${call("deadLetters.requeue", { id })} puts it back`,
    });
  const which = sql`message_id = ${id}`;
  const changed = yield* acknowledge({ agent, names: [found.to_agent], which, now, taken: true });
  if (changed.length) yield* collected(tx, agent, changed, now);
  // Read again: another caller may have acked it first, and then its time is the one to return.
  const row = yield* findMessage(id, unexpired(now));
  return { message: channelView(row), already: !changed.length };
}

export function* collected(tx: Context, agent: string, messages: number[], now: string): Procedure<void> {
  yield* seen(tx, agent, now);
  const payload = { messages: messages.map((id) => idOf("message", id)), read_to: null };
  yield* append(tx, { type: "messages.collected", source: agent, payload, now });
}
