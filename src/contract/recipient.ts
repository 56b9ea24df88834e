/** What a sender is told about the recipient: an unused name may be misspelled, and a sub-agent may have finished. */
import * as v from "valibot";
import { flag } from "./fields.ts";

export const recipient = () =>
  v.strictObject({
    name: v.string(),
    known: v.boolean(),
    similar: v.array(v.string()),
    /** A sub-agent that has finished: nobody reads what is sent to it. The hint says what to do instead. */
    ended: v.optional(v.literal(true)),
    hint: v.optional(v.string()),
    /** Its task, if its session can be resumed with the message. */
    resumable: v.optional(v.string()),
  });

export type Recipient = v.InferOutput<ReturnType<typeof recipient>>;

export const strict = () => flag("fail if the recipient is unknown");

/** Names in a call that nobody has used, each with the used names that it is like. */
export const unknown = () =>
  v.optional(v.array(v.strictObject({ name: v.string(), similar: v.array(v.string()) })));

export type Unknown = NonNullable<v.InferOutput<ReturnType<typeof unknown>>>[number];
