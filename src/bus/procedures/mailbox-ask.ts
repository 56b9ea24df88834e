import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { record } from "../audit.ts";
import { postToChannel } from "../post-message.ts";
import { mailNameOf } from "../tasks/mail-name.ts";

/** A question; its answers have its correlation id. */
export function* mailboxAsk(tx: Context, input: ParsedOf<"mailbox.ask">): Procedure<OutputOf<"mailbox.ask">> {
  const { from, question: text, choices, strict } = input;
  const to = yield* mailNameOf(input.to);
  const correlationId = `ask-${crypto.randomUUID()}`;
  const { last, recipient, nextEventId } = yield* postToChannel(tx, {
    from,
    to,
    text,
    key: "question",
    strict,
    payload: choices && { choices },
    more: { correlationId },
    kind: "question",
    tells: true,
  });
  yield* record(tx, { action: "asked", question: correlationId, agent: from, to, text }, last.row.created_at);
  return { message: { ...last.view, toAgent: to }, correlationId, recipient, nextEventId };
}
