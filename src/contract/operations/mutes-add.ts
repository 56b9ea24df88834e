import * as v from "valibot";
import { person } from "../entry.ts";
import { name } from "../fields.ts";
import { mute, muteCombinations, muted } from "../mute.ts";
import { operation } from "../operation.ts";

export const mutesAdd = operation("mutes.add", "mute add", () => ({
  kind: "write",
  access: { on: "person", does: "change" },
  summary: "Mute an agent or a thread",
  detail:
    "New entries of a muted agent or thread go to the archive and are not counted as unread. Questions still come to the inbox. Give either an agent or a thread.",
  input: () => v.strictObject({ ...muted(), agent: v.optional(name("who mutes it", "NAME"), person) }),
  combinations: muteCombinations,
  output: () =>
    v.strictObject({
      /** It was muted before. */
      already: v.boolean(),
      mutes: v.array(mute()),
    }),
  errors: ["invalid_input", "not_found"],
  cli: { plain: ["name"], identity: "agent", identityDefault: person },
  http: ["PUT /api/mutes"],
  mcp: { none: "the inbox belongs to the person; models have no access to it" },
  examples: ["inbox mute add chatty-agent", "inbox mute add --thread thr_3"],
}));
