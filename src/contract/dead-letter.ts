/** A dead letter: a message nobody could be brought to accept. */
import * as v from "valibot";
import { channelMessage } from "./channel-message.ts";

export const deadLetter = () =>
  v.strictObject({
    ...channelMessage().entries,
    deadAt: v.string(),
    deadReason: v.string(),
    lapses: v.number(),
  });

export type DeadLetter = v.InferOutput<ReturnType<typeof deadLetter>>;
