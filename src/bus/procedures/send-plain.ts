/** A plain message: no thread, only the addressee's inbox. */
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { recipientOf, seen } from "../agent.ts";
import { append } from "../event.ts";
import { contentOf, write } from "../message.ts";

export function* sendPlain(
  tx: Context,
  input: ParsedOf<"mailbox.send">,
): Procedure<OutputOf<"mailbox.send">> {
  const { from, to } = input;
  const now = yield* tx.clock();
  const recipient = yield* recipientOf(to, input.strict);
  yield* seen(tx, from, now);
  const content = contentOf({ body: input.message, artifacts: [] });
  const message = yield* write({ thread: null, from, to, kind: "event" }, content, now);
  yield* append(tx, { type: "message.sent", source: from, message: message.row, now });
  return { message: message.view, recipient };
}
