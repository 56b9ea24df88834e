import * as v from "valibot";
import { chosenCombinations, chosenDeadLetters } from "../dead-letter.ts";
import { operation } from "../operation.ts";

export const deadLettersRequeue = operation("deadLetters.requeue", "dlq requeue", () => ({
  kind: "write",
  access: { on: "message", by: ["id", "channel"], does: "change" },
  summary: "Deliver dead letters again",
  detail: "Puts one message, by its id, or all dead letters of a channel back into the inbox.",
  input: () => v.strictObject(chosenDeadLetters()),
  combinations: chosenCombinations,
  output: () =>
    v.strictObject({
      requeued: v.number(),
      /** Sub-agents among the recipients that have finished: nobody reads what is put back for them. */
      ended: v.optional(v.array(v.string())),
    }),
  errors: ["invalid_input", "not_found"],
  cli: { plain: ["id"], identity: "agent", identityDefault: "main" },
  http: ["POST /api/dead-letters/requeue"],
  mcp: { none: "dead letters are for whoever runs the bus" },
  examples: ["inbox dlq requeue 42", "inbox dlq requeue --channel worker-a"],
}));
