/** What the operations that mark one entry of the person's inbox have in common: [U3] [U12]. */
import * as v from "valibot";
import { entry, entryId, person } from "./entry.ts";
import { name } from "./fields.ts";

/** `who` describes the caller: "who archives it". */
export const entryChange = (who: string) => ({
  kind: "write" as const,
  access: { on: "entry", by: "id", does: "change" } as const,
  input: () => v.strictObject({ id: entryId(), agent: v.optional(name(who, "NAME"), person) }),
  output: () => v.strictObject({ entry: entry(), already: v.boolean() }),
  errors: ["invalid_input", "not_found"] as const,
  mcp: { none: "the inbox belongs to the person; models have no access to it" },
});
