/** What can be found, and how it is shown. */
import * as v from "valibot";

export const searchKinds = ["entries", "threads", "messages"] as const;
export type SearchKind = (typeof searchKinds)[number];

export const searchHit = () =>
  v.strictObject({
    kind: v.picklist(searchKinds),
    /** Its id, as its own commands take it. */
    id: v.string(),
    title: v.string(),
    /** A part of its text, and where in it the words are: from, to. */
    snippet: v.strictObject({ text: v.string(), matches: v.array(v.tuple([v.number(), v.number()])) }),
    /** Greater is better; comparable within one answer. */
    score: v.number(),
    ts: v.number(),
    entryId: v.nullable(v.string()),
    threadId: v.nullable(v.string()),
    messageId: v.nullable(v.string()),
    channel: v.nullable(v.string()),
    sender: v.nullable(v.string()),
  });

export type SearchHit = v.InferOutput<ReturnType<typeof searchHit>>;
