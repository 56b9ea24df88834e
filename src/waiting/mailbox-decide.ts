/** [A5] [A6] Asking, and waiting for the decision; if there is none in time, another agent is asked too. */

import { hand } from "../bus/hand-over/hand.ts";
import { lineOf } from "../bus/hand-over/next.ts";
import { askQuestion, decisionOf, escalate } from "../bus/question.ts";
import { InboxError } from "../contract/errors.ts";
import type { OutputOf, ParsedOf } from "../contract/operations/index.ts";
import { blank, field, phrase } from "../contract/phrase.ts";
import type { Engine } from "../engines/engine.ts";
import type { AnswerWithReceipt, Calling } from "./handed.ts";
import { receiptOf } from "./take-mail.ts";
import { countdown, wait } from "./wait.ts";

type Output = OutputOf<"mailbox.decide">;
type Input = ParsedOf<"mailbox.decide">;

export async function mailboxDecide(
  engine: Engine,
  input: Input,
  { signal, handOver }: Calling,
): Promise<AnswerWithReceipt<Output>> {
  const { from, escalateTo, escalateAfter = escalateAfterDefault, timeoutSeconds } = input;
  const left = countdown(timeoutSeconds);
  const correlationId =
    input.correlationId ?? (await engine.write((tx) => askQuestion(tx, questionIn(input))));
  let escalated = escalateTo === undefined;
  const look = async () => {
    const decision = await engine.read((tx) => decisionOf(tx, correlationId, from));
    if (decision.choice !== null) return { found: decision };
    const againInMs = Math.max(0, escalateAfter * 1000 - decision.ageMs);
    if (escalated) return {};
    if (againInMs > 0) return { againInMs };
    await engine.write((tx) => escalate(tx, correlationId, from, escalateTo!));
    escalated = true;
    return {};
  };
  const found = await wait(engine, { mailOf: from }, look, { timeoutMs: left(), signal, agent: from });
  const {
    choice,
    choices,
    answers,
    messages: ids,
  } = found ?? (await engine.read((tx) => decisionOf(tx, correlationId, from)));
  const value = { decided: choice !== null, choice, choices, answers, correlationId };
  if (!value.decided || !ids.length) return { value };
  // Its answers are part of this answer: they do not stay in the inbox.
  const given = await engine.write(
    (tx) => hand(tx, { agent: from, max: ids.length, ids }, { call: handOver }),
    { line: lineOf(from) },
  );
  return { value, receipt: receiptOf({ agent: from, ack: "auto" }, given) };
}

const escalateAfterDefault = 600;

function questionIn({ from, to, question, choices, need = 1 }: Input) {
  if (to === undefined || question === undefined)
    throw new InboxError(
      "invalid_input",
      phrase`${field("to")} and ${field("question")} are required for a new question`,
      {
        hint: phrase`add both; to continue waiting for a question that was asked before, give only ${field("correlationId", blank("CORRELATION"))}`,
      },
    );
  if (need > new Set(to).size)
    throw new InboxError(
      "invalid_input",
      phrase`${field("need")} is ${need}, but the number of agents asked is ${new Set(to).size}`,
      {
        hint: phrase`name more agents in ${field("to")}, or lower ${field("need")}`,
      },
    );
  return { from, to, text: question, choices: choices ?? ["yes", "no"], need };
}
