/** [M1] A plain message to an inbox. */
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { type Letter, type Posted, type Posting, postToChannel } from "../post-message.ts";
import { isTaskText, mailNameOf } from "../tasks/mail-name.ts";

type Input = ParsedOf<"mailbox.send">;
type Output = OutputOf<"mailbox.send">;

export function* mailboxSend(tx: Context, input: Input): Procedure<Output> {
  const to = yield* mailNameOf(input.to);
  return answerTo(to, yield* postToChannel(tx, letterTo(to, input)));
}

/** The same as data; undefined if only the database knows whose inbox is meant. */
export const mailPosting = (input: Input): Posting<Output> | undefined =>
  isTaskText(input.to)
    ? undefined
    : { letter: letterTo(input.to, input), output: (posted) => answerTo(input.to, posted) };

const letterTo = (to: string, { from, message: text, strict, interrupt }: Input): Letter => ({
  from,
  to,
  text,
  strict,
  tells: true,
  ...(interrupt && { kind: "control", payload: { interrupt: true } }),
});

const answerTo = (toAgent: string, { last, recipient, copies, nextEventId }: Posted): Output => ({
  message: { ...last.view, toAgent },
  recipient,
  ...(copies && { copies }),
  nextEventId,
});
