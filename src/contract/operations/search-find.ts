import * as v from "valibot";
import { choices, integer, text } from "../fields.ts";
import { operation } from "../operation.ts";
import { searchHit, searchKinds } from "../search.ts";

export const searchFind = operation({
  name: "search.find",
  kind: "read",
  access: { on: "visible" },
  summary: "Find entries, threads and messages by their words, best first",
  detail:
    "All words must be there, each of two letters or more may be the beginning of a longer one; case, accents and signs do not matter. " +
    "What was written a moment ago is found too, unless complete is false: then so many events are still to be read.",
  input: () =>
    v.strictObject({
      q: text("the words", { limit: 1024, value: "WORDS" }),
      limit: v.optional(integer("at most so many (default: 20)", { min: 1, max: 100 }), 20),
      kinds: v.optional(choices(searchKinds, "only these: entries,threads,messages")),
    }),
  output: () =>
    v.strictObject({
      hits: v.array(searchHit()),
      complete: v.boolean(),
      /** Events that were not looked at yet. */
      behind: v.number(),
    }),
  errors: ["invalid_input"],
  cli: { command: "search", plain: ["q"] },
  http: ["GET /api/search"],
  mcp: {
    tool: "search",
    set: "messages",
    idempotent: true,
    use: "Find threads, messages and entries of the person's inbox by words.",
  },
  nothing: ({ hits }) => hits.length === 0,
  examples: ['inbox search "rates section"', "inbox search login --kinds threads,messages"],
});
