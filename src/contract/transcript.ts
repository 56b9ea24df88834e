/** [Q9] What a sub-agent was told, did and said, in order. */
import * as v from "valibot";

export const transcriptKinds = {
  prompt: "what it was told",
  tool: "a tool it used",
  response: "what the tool answered",
  output: "what it wrote",
  stderr: "what it wrote to standard error",
  error: "what went wrong",
  notice: "what the supervisor did",
  final: "its final message",
} as const;

export type TranscriptKind = keyof typeof transcriptKinds;

export const transcriptEntry = () =>
  v.strictObject({
    /** Where the transcript goes on after it: a cursor. */
    n: v.number(),
    at: v.string(),
    kind: v.picklist(Object.keys(transcriptKinds) as TranscriptKind[]),
    text: v.string(),
    tool: v.optional(v.string()),
    /** The next entry of its kind continues this one, in the middle of a line. */
    open: v.optional(v.literal(true)),
  });

export type TranscriptEntry = v.InferOutput<ReturnType<typeof transcriptEntry>>;
