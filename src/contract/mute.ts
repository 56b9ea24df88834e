/** [U12] A mute: what an agent pushes, or what comes of a thread, goes to the archive as it comes. Questions still come. */
import * as v from "valibot";
import { name } from "./fields.ts";
import { threadId } from "./ids.ts";

export const muteKinds = ["agent", "thread"] as const;
export type MuteKind = (typeof muteKinds)[number];

export const mute = () =>
  v.strictObject({
    /** An agent's name, or a thread's id; the other is null. */
    name: v.nullable(v.string()),
    threadId: v.nullable(v.string()),
    createdAt: v.string(),
  });
export type Mute = v.InferOutput<ReturnType<typeof mute>>;

/** What is muted: exactly one of them. */
export const muted = () => ({
  name: v.optional(name("the agent", "AGENT")),
  thread: v.optional(threadId("the thread")),
});
