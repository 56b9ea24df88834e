import * as v from "valibot";
import { chosenCombinations, chosenDeadLetters } from "../dead-letter.ts";
import { operation } from "../operation.ts";

export const deadLettersPurge = operation("deadLetters.purge", "dlq purge", () => ({
  kind: "write",
  access: { on: "message", by: ["id", "channel"], does: "change" },
  summary: "Delete dead letters",
  detail: "Deletes one, by its id, or all of a channel. A message of a thread stays in its thread.",
  input: () => v.strictObject(chosenDeadLetters()),
  combinations: chosenCombinations,
  output: () => v.strictObject({ purged: v.number() }),
  errors: ["invalid_input", "not_found"],
  cli: { plain: ["id"], identity: "agent", identityDefault: "main" },
  http: ["POST /api/dead-letters/purge"],
  mcp: { none: "dead letters are for whoever runs the bus" },
  examples: ["inbox dlq purge 42"],
}));
