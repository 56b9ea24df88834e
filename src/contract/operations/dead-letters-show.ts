import * as v from "valibot";
import { deadLetter } from "../dead-letter.ts";
import { messageNumber } from "../ids.ts";
import { operation } from "../operation.ts";

export const deadLettersShow = operation("deadLetters.show", "dlq show", () => ({
  kind: "read",
  access: { on: "message", by: "id", does: "read" },
  summary: "Show one dead letter",
  input: () => v.strictObject({ id: messageNumber("the message's id") }),
  output: () => v.strictObject({ message: deadLetter() }),
  errors: ["invalid_input", "not_found"],
  cli: { plain: ["id"] },
  http: ["GET /api/dead-letters/:id"],
  mcp: { none: "dead letters are for whoever runs the bus" },
  examples: ["inbox dlq show 42"],
}));
