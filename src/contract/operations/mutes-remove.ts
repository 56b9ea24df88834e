import * as v from "valibot";
import { person } from "../entry.ts";
import { name } from "../fields.ts";
import { mute, muteCombinations, muted } from "../mute.ts";
import { operation } from "../operation.ts";

export const mutesRemove = operation("mutes.remove", "mute remove", () => ({
  kind: "write",
  access: { on: "person", does: "change" },
  summary: "Unmute an agent or a thread",
  detail: "Entries that were archived in the meantime stay archived. Give either an agent or a thread.",
  input: () => v.strictObject({ ...muted(), agent: v.optional(name("who unmutes it", "NAME"), person) }),
  combinations: muteCombinations,
  output: () =>
    v.strictObject({
      /** It was not muted. */
      already: v.boolean(),
      mutes: v.array(mute()),
    }),
  errors: ["invalid_input"],
  cli: { plain: ["name"], identity: "agent", identityDefault: person },
  http: ["DELETE /api/mutes"],
  mcp: { none: "the inbox belongs to the person; models have no access to it" },
  examples: ["inbox mute remove chatty-agent"],
}));
