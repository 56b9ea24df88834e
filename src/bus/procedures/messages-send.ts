/** [M1] A message on a channel. */
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { channelView } from "../channel.ts";
import { type Letter, type Posted, type Posting, postToChannel } from "../post-message.ts";

type Input = ParsedOf<"messages.send">;
type Output = OutputOf<"messages.send">;

export function* messagesSend(tx: Context, input: Input): Procedure<Output> {
  return answerTo(input, yield* postToChannel(tx, letterOf(input)));
}

/** The same as data. */
export const channelPosting = (input: Input): Posting<Output> => ({
  letter: letterOf(input),
  output: (posted) => answerTo(input, posted),
});

function letterOf(input: Input): Letter {
  const { channel: to, content: text, sender: from, strict, metadata: payload } = input;
  const { correlationId, taskId, ttlSeconds } = input;
  const more = { correlationId, taskId, ttlSeconds };
  return { from, to, text, key: "content", strict, as: "channel", payload, more };
}

const answerTo = ({ channel }: Input, { last, recipient, copies }: Posted): Output => ({
  ...channelView(last.row),
  channel,
  recipient,
  ...(copies && { copies }),
});
