import * as v from "valibot";
import { name, names, text } from "../fields.ts";
import { messageNumber } from "../ids.ts";
import { ackCombinations, acking, mail, mailbox } from "../mail.ts";
import { operation } from "../operation.ts";
import { unknown } from "../recipient.ts";
import { timeoutSeconds } from "../waiting.ts";

export const mailboxGather = operation("mailbox.gather", "gather", () => ({
  kind: "wait",
  access: { on: "own" },
  summary: "Wait for answers from several agents, and collect them together",
  detail:
    "The result of a thread is an answer; so is any message from an agent that has no open thread from you. After the timeout you get " +
    "the answers so far and the names of the agents that have not answered; the exit code is 10 only if there are no answers.",
  input: () =>
    v.strictObject({
      agent: mailbox(),
      from: names("the agents whose answers are awaited", "AGENT,…"),
      need: v.optional(
        text("how many of them must answer: all, any, or a number (default: all)", {
          limit: 8,
          value: "all|any|N",
          must: 'must be text: "all", "any" or a number such as "2"',
        }),
        "all",
      ),
      correlationId: v.optional(
        name("only answers with this correlation id", "CORRELATION", "correlation", "correlation-id"),
      ),
      after: v.optional(messageNumber("only messages after this one")),
      timeoutSeconds: timeoutSeconds(
        "stop waiting after N seconds; 0: do not wait (default: none, wait forever)",
      ),
      ...acking(),
    }),
  combinations: ackCombinations,
  output: () =>
    v.strictObject({
      woke: v.boolean(),
      nextEventId: v.number(),
      messages: v.array(mail()),
      missing: v.array(v.string()),
      dead: v.array(v.string()),
      unknown: unknown(),
    }),
  errors: ["invalid_input"],
  cli: { program: "both", identity: "agent", identityDefault: "main" },
  // What has come so far is an answer once the time is over, and not before.
  waits: { over: ({ woke }) => woke },
  http: ["POST /api/mailbox/:agent/gather"],
  mcp: {
    tool: "gather",
    set: "mailbox",
    usual: true,
    usualFor: ["leader"],
    use: "Wait until the named agents have answered, and take the answers together.",
    renamed: { timeoutSeconds: "timeout" },
    without: ["correlationId", "ack", "visibilitySeconds"],
  },
  nothing: ({ messages }) => !messages.length,
  examples: ["inbox gather --agent main --from worker-a,worker-b --timeout-seconds 300"],
}));
