/**
 * What an answer still needs, as data: whoever holds it can say, at any hub of the same bus, that the answer arrived or
 * that it did not. It gives no rights: all it names is done only for the agent that says it.
 */
import * as v from "valibot";
import { name } from "./fields.ts";
import { messageId, threadId } from "./ids.ts";

const agent = () => name("whose it is");
const count = (minimum: number) => v.pipe(v.number("must be a number"), v.safeInteger(), v.minValue(minimum));
const key = () => v.pipe(v.string("must be text"), v.uuid("must be a UUID"));

/** Made by whoever calls, for one call: mail is handed over under it, and a lease gets its token from it. */
export const isHandOverId = (text: string) => v.is(key(), text);

export const receipt = () =>
  v.variant(
    "of",
    [
      /** Mail that is hidden from others; `visibilitySeconds` where the reader acks each by itself. */
      v.strictObject({
        of: v.literal("mail"),
        agent: agent(),
        id: key(),
        /** The messages of the answer: some may have become another's by the time it is confirmed. */
        messages: v.optional(v.array(count(1))),
        visibilitySeconds: v.optional(count(1)),
        /** Of a release: the answer went out, and its reader may have seen it. */
        seen: v.optional(v.literal(true, "must be true")),
      }),
      /** Messages of a thread, and the lease of it where this very answer granted one. */
      v.strictObject({
        of: v.literal("thread"),
        agent: agent(),
        thread: threadId(),
        messages: v.array(messageId("a message of the answer")),
        read: v.boolean("must be true or false"),
        lease: v.optional(v.string("must be text")),
        /** Under what those to its reader are hidden from its mailbox, where they are. */
        id: v.optional(key()),
      }),
      /** A reader's stored position. */
      v.strictObject({
        of: v.literal("channel"),
        reader: agent(),
        channel: name("which channel"),
        position: count(1),
      }),
      /** An entry of the person's inbox that was opened. */
      v.strictObject({ of: v.literal("entry"), agent: agent(), id: key() }),
      /** A call whose answer never came: nobody knows what was in it. It can only be given back. */
      v.strictObject({ of: v.literal("call"), agent: v.optional(agent()), id: key() }),
    ],
    "must be what came with the answer",
  );

export type Receipt = v.InferOutput<ReturnType<typeof receipt>>;

/** `seen`: the reader may have seen the answer that is given back. Its mail is marked as redelivered next time. */
export interface Releasing {
  seen?: boolean;
}

export const releasing = (receipt: Receipt, { seen }: Releasing = {}): Receipt =>
  seen && receipt.of === "mail" ? { ...receipt, seen: true } : receipt;
