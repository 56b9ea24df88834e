/** [M1] A message on a channel. */
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { channelView } from "../channel.ts";
import { postToChannel } from "../post-message.ts";

export function* messagesSend(
  tx: Context,
  input: ParsedOf<"messages.send">,
): Procedure<OutputOf<"messages.send">> {
  const { channel: to, content: text, sender: from, strict, metadata: payload } = input;
  const { correlationId, taskId, ttlSeconds } = input;
  const posted = yield* postToChannel(tx, {
    from,
    to,
    text,
    key: "content",
    strict,
    as: "channel",
    payload,
    more: { correlationId, taskId, ttlSeconds },
  });
  const { last, recipient, copies } = posted;
  return { ...channelView(last.row), channel: to, recipient, ...(copies && { copies }) };
}
