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
import { and, visible } from "../visible.ts";
import { buryDoomed } from "./hand.ts";

export function* msgAck(
  tx: Context,
  { id, agent }: ParsedOf<"messages.ack">,
): Procedure<OutputOf<"messages.ack">> {
  const now = yield* tx.clock();
  const found = aged(yield* findMessage(id, unexpired(now)), now);
  if (found.dead_at !== null)
    throw new InboxError("invalid_state", `message ${id} is a dead letter: ${found.dead_reason}`, {
      hint: phrase`${call("deadLetters.requeue", { id })} puts it back`,
    });
  const changed = yield* acknowledge(agent, [found.to_agent], sql`message_id = ${id}`, now);
  if (changed.length) yield* collected(tx, agent, changed, now);
  // Looked at again: another one may have been faster, and then its time counts.
  const row = yield* findMessage(id, unexpired(now));
  return { message: channelView(row), already: !changed.length };
}

export function* msgAckAll(
  tx: Context,
  { channel, agent }: ParsedOf<"messages.ackAll">,
): Procedure<OutputOf<"messages.ackAll">> {
  yield* tx.own(`inbox:${channel}`);
  const now = yield* tx.clock();
  yield* buryDoomed(tx, channel, now);
  const changed = yield* acknowledge(
    agent,
    [channel],
    sql`to_agent = ${channel} and acked_at is null and dead_at is null and (expires_at is null or expires_at > ${now}) ${and(visible.messages(tx))}`,
    now,
  );
  if (changed.length) yield* collected(tx, agent, changed, now);
  return { channel, ackedCount: changed.length };
}

function* collected(tx: Context, agent: string, messages: number[], now: string): Procedure<void> {
  yield* seen(tx, agent, now);
  const payload = { messages: messages.map((id) => idOf("message", id)), read_to: null };
  yield* append(tx, { type: "messages.collected", source: agent, payload, now });
}
