import * as v from "valibot";
import { deadLetter } from "../dead-letter.ts";
import { integer, name } from "../fields.ts";
import { messageNumber } from "../ids.ts";
import { operation } from "../operation.ts";

export const deadLettersList = operation("deadLetters.list", "dlq list", () => ({
  kind: "read",
  access: { on: "visible" },
  summary: "List dead letters, oldest first",
  input: () =>
    v.strictObject({
      channel: v.optional(name("only dead letters of this agent or channel", "CHANNEL")),
      afterId: v.optional(messageNumber("only dead letters with a greater id", "after")),
      limit: v.optional(integer("maximum number of results (default: 50)", { min: 1, max: 1000 }), 50),
    }),
  output: () => v.strictObject({ messages: v.array(deadLetter()), count: v.number() }),
  errors: ["invalid_input"],
  http: ["GET /api/dead-letters"],
  mcp: { none: "dead letters are for whoever runs the bus" },
  examples: ["inbox dlq list"],
}));
