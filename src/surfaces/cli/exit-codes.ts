import { InboxError } from "../../contract/errors.ts";
import { type AnyOperation, answerCodes } from "../../contract/operation.ts";
import { field, phrase } from "../../contract/phrase.ts";

/** [A5.1] A script that is told the choice by the exit code must not mistake one choice for another. */
export function requireCodes({ cli }: AnyOperation, input: Readonly<Record<string, unknown>>): void {
  const items = input[cli.codes ?? ""];
  if (!Array.isArray(items) || items.length <= answerCodes) return;
  const list = phrase`${field(cli.codes!)}`;
  throw new InboxError(
    "invalid_input",
    phrase`${list} lists ${items.length} answers, at most ${answerCodes} are allowed where the exit code is the choice`,
    {
      hint: phrase`leave some out of ${list}, or ask without ${field(cli.needs!)}: the answer then comes to your inbox`,
    },
  );
}
