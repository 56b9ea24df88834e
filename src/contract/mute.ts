/** [U12] A mute: new entries of an agent or a thread go to the archive. Questions still come to the inbox. */
import * as v from "valibot";
import { excludes } from "./combinations.ts";
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

/** What is muted: exactly one of the two. */
export const muted = () => ({
  name: v.optional(name("the agent", "AGENT")),
  thread: v.optional(threadId("the thread")),
});
export const muteCombinations = [excludes("name", "thread")] as const;
