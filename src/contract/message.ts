/** A message: one immutable record, in a thread or plain. Shown here in the thread view. */
import * as v from "valibot";
import { artifact } from "./artifact.ts";
import { choice, json, text } from "./fields.ts";
import type { Text } from "./phrase.ts";

export const kinds = ["task", "progress", "question", "answer", "result", "control", "event"] as const;
export type Kind = (typeof kinds)[number];

export const kind = (help: Text) => choice(kinds, help);
export const summary = (help: Text = "the message in one line") =>
  v.optional(text(help, { limit: 4096, file: true }));
export const body = (help = "the full text") => v.optional(text(help, { file: true }));

/** The content of a message, as fields of each operation that writes to a thread. */
export const said = (summaryHelp?: Text) => ({
  summary: summary(summaryHelp),
  body: body(),
  payload: v.optional(json("structured data for the reader, a JSON object", { formerFlag: "metadata" })),
});
export type Said = v.InferOutput<v.ObjectSchema<ReturnType<typeof said>, undefined>>;

/** The fields that end all views of a message: thread view, channel view and mailbox view. */
export const shownInEveryView = () => ({
  senderVerified: v.boolean(),
});

export const message = () =>
  v.strictObject({
    messageId: v.string(),
    threadId: v.nullable(v.string()),
    fromAgent: v.string(),
    toAgent: v.string(),
    kind: v.picklist(kinds),
    summary: v.string(),
    body: v.string(),
    payload: v.record(v.string(), v.unknown()),
    artifacts: v.array(artifact()),
    createdAt: v.string(),
    ...shownInEveryView(),
  });

export type Message = v.InferOutput<ReturnType<typeof message>>;
