import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { aged, channelView, findMessage, unexpired } from "../channel.ts";

/** One message by its number, acked or not; its content from an offset. */
export function* messagesRead(
  tx: Context,
  { id, offset, length }: ParsedOf<"messages.read">,
): Procedure<OutputOf<"messages.read">> {
  const now = yield* tx.clock();
  const whole = channelView(aged(yield* findMessage(id, unexpired(now)), now));
  const content = whole.content.slice(offset, offset + length);
  return { message: { ...whole, content }, offset, total: whole.content.length };
}
