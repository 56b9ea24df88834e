/** [B6] One dead letter. */
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { aged, findMessage } from "../channel.ts";
import { deadView, isDead, noDeadLetter } from "../dead-letter.ts";

export function* deadLettersShow(
  tx: Context,
  { id }: ParsedOf<"deadLetters.show">,
): Procedure<OutputOf<"deadLetters.show">> {
  const now = yield* tx.clock();
  return { message: deadView(aged(yield* findMessage(id, isDead(now), noDeadLetter), now)) };
}
