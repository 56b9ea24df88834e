/** What the texts of all answers have in common. Each answer is made from its schema. */
import { expect, test } from "bun:test";
import { type OperationName, operationNamed } from "../../src/contract/operations/index.ts";
import { inShell } from "../../src/surfaces/spelling/shell.ts";
import { plainPaint } from "../../src/surfaces/text/paint.ts";
import { render } from "../../src/surfaces/text/render.ts";
import { sampleAnswer } from "../support/sample-answer.ts";

const rendered = (name: OperationName, text: string) =>
  render(name, sampleAnswer(operationNamed(name).output(), text) as never, plainPaint, inShell);

test.each(["mailbox.list", "deadLetters.list"] as const)(
  "[B1.5] the list of %s has a column for the thread of a message",
  (name) => expect(rendered(name, "x").split("\n")[0]).toMatch(/ THREAD /),
);
