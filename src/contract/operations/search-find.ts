import * as v from "valibot";
import { choices, integer, text } from "../fields.ts";
import { operation } from "../operation.ts";
import { searchHit, searchKinds } from "../search.ts";

export const searchFind = operation("search.find", "search", () => ({
  kind: "read",
  access: { on: "visible" },
  summary: "Search entries, threads and messages, best match first",
  detail:
    "All words must match; a word of two or more letters also matches as a prefix. Case, accents and punctuation are ignored. " +
    "Recent writes are included unless the output has complete: false; then behind is the number of events that are not indexed yet.",
  input: () =>
    v.strictObject({
      q: text("the words", { limit: 1024, value: "WORDS" }),
      limit: v.optional(integer("maximum number of results (default: 20)", { min: 1, max: 100 }), 20),
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
  cli: { plain: ["q"] },
  http: ["GET /api/search"],
  mcp: {
    tool: "search",
    set: "messages",
    idempotent: true,
    use: "Find threads, messages and entries of the person's inbox by words.",
  },
  nothing: ({ hits }) => hits.length === 0,
  examples: ['inbox search "rates section"', "inbox search login --kinds threads,messages"],
}));
