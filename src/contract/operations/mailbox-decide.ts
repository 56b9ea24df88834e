import * as v from "valibot";
import { excludes, needs } from "../combinations.ts";
import { choices } from "../entry.ts";
import { flag, integer, name, names, number, text } from "../fields.ts";
import { answerCodes, operation } from "../operation.ts";
import { blank, field, phrase } from "../phrase.ts";
import { given } from "../question.ts";
import { timeoutSeconds } from "../waiting.ts";

export const mailboxDecide = operation("mailbox.decide", "ask", () => ({
  kind: "wait",
  access: { on: "own" },
  summary: "Ask, and wait for the decision",
  detail: phrase`With ${field("need")} N, the first choice is the decision once N agents have given it; any other choice decides as soon as one agent gives it. Without ${field("choices")} the choices are yes and no; a command takes at most ten, as the exit code is the choice. Only the choice is printed on standard output, so that a script can read it; the names and answers of those who answered are on standard error. Exit code: 0 for the first choice, 1 for the second and so on, 10 if nothing was decided in time; the output then says how to continue waiting.`,
  input: () =>
    v.strictObject({
      from: name("who asks", "AGENT"),
      to: v.optional(names("who may answer: agents, or user for the person", "AGENT,…")),
      question: v.optional(text("what to ask", { file: true })),
      choices: choices(),
      wait: flag("wait for the decision; without this flag the command asks and returns at once"),
      need: v.optional(integer("N agents must give the first choice (default: 1)", { min: 1, max: 100 })),
      escalateTo: v.optional(name("also ask this agent if there is no decision in time", "AGENT")),
      escalateAfter: v.optional(
        number(phrase`with ${field("escalateTo")}: ask that agent after N seconds (default: 600)`, {
          min: 0,
          max: 31 * 86_400,
          unit: "seconds",
        }),
      ),
      correlationId: v.optional(
        text("continue waiting for this question, by its correlation id", {
          limit: 256,
          value: "CORRELATION",
          flag: "correlation",
          formerFlag: "correlation-id",
        }),
      ),
      timeoutSeconds: timeoutSeconds(
        "stop waiting after N seconds (default: none, wait until it is decided)",
      ),
    }),
  combinations: [
    needs("escalateAfter", "escalateTo", blank("AGENT")),
    excludes("correlationId", "question", "to", "choices", "need"),
  ],
  output: () =>
    v.strictObject({
      decided: v.boolean(),
      choice: v.nullable(v.string()),
      choices: v.array(v.string()),
      answers: v.array(given()),
      correlationId: v.string(),
    }),
  errors: ["invalid_input", "too_large", "not_found"],
  cli: {
    listed: "ask --wait",
    needs: "wait",
    codes: "choices",
    plain: ["to", "question"],
    identity: "from",
    identityDefault: "main",
  },
  waits: {
    goesOn: ({ from, escalateTo, escalateAfter }, { correlationId }) => ({
      from,
      escalateTo,
      escalateAfter,
      correlationId,
    }),
  },
  http: ["POST /api/mailbox/decide"],
  mcp: {
    tool: "ask_and_wait",
    set: "mailbox",
    use: "Ask the person (user) or agents before something irreversible, and wait for the choice.",
    without: ["wait", "escalateTo", "escalateAfter"],
    renamed: { timeoutSeconds: "timeout" },
  },
  nothing: ({ decided }) => !decided,
  exit: ({ choice, choices }) => Math.min(answerCodes - 1, Math.max(0, choices.indexOf(choice ?? ""))),
  examples: [
    'inbox ask user "Deploy v2?" --choices yes,no --wait && ./deploy',
    'inbox ask user,lead "Drop the table?" --wait --need 2',
    'inbox ask user "Deploy v2?" --wait --escalate-to lead --escalate-after 900',
  ],
}));
