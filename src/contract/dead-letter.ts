/** A dead letter: a message that could not be delivered. */
import * as v from "valibot";
import { channelMessage } from "./channel-message.ts";
import { excludes } from "./combinations.ts";
import { name } from "./fields.ts";
import { messageNumber } from "./ids.ts";

export const deadLetter = () =>
  v.strictObject({
    ...channelMessage().entries,
    deadAt: v.string(),
    deadReason: v.string(),
    lapses: v.number(),
  });

/** Which of them: exactly one of the two. */
export const chosenDeadLetters = () => ({
  id: v.optional(messageNumber("the message's id")),
  channel: v.optional(name("all dead letters of this channel", "CHANNEL")),
  agent: name("who makes the change", "NAME"),
});

export const chosenCombinations = [excludes("id", "channel")] as const;

export type DeadLetter = v.InferOutput<ReturnType<typeof deadLetter>>;
