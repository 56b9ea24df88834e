/** [M1] A plain message to an inbox. */
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { postToChannel } from "../post-message.ts";
import { mailNameOf } from "../tasks/mail-name.ts";

export function* mailboxSend(
  tx: Context,
  input: ParsedOf<"mailbox.send">,
): Procedure<OutputOf<"mailbox.send">> {
  const { from, message: text, strict, interrupt } = input;
  const to = yield* mailNameOf(input.to);
  const { last, recipient, copies, nextEventId } = yield* postToChannel(tx, {
    from,
    to,
    text,
    strict,
    tells: true,
    ...(interrupt && { kind: "control", payload: { interrupt: true } }),
  });
  return { message: { ...last.view, toAgent: to }, recipient, ...(copies && { copies }), nextEventId };
}
