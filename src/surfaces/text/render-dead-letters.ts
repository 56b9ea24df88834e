/** Dead letters, and the reason of each. */
import { plural } from "../../contract/plural.ts";
import { channelLine } from "./channel-message.ts";
import type { NounRenders } from "./noun-renders.ts";
import { cut, inLine } from "./safe.ts";
import { textTable } from "./text-table.ts";
import { relative } from "./time.ts";

export const deadLetterRenders: NounRenders<"deadLetters"> = {
  "deadLetters.list": ({ messages }, paint) => {
    if (!messages.length) return "no dead letters";
    const rows = messages.map((letter) => [
      String(letter.id),
      cut(letter.sender, 20),
      cut(letter.channel, 20),
      letter.threadId ?? "–",
      relative(letter.deadAt),
      cut(letter.deadReason, 40),
      cut(letter.content, 40),
    ]);
    return textTable(["ID", "FROM", "TO", "THREAD", "DIED", "REASON", "MESSAGE"], rows, paint.dim);
  },
  "deadLetters.show": ({ message }, paint) =>
    `${channelLine(message)}${message.threadId === null ? "" : `\n  ${paint.dim("thread")} ${message.threadId}`}\n  ${paint.dim("died")} ${relative(message.deadAt)}: ${inLine(message.deadReason)}`,
  "deadLetters.requeue": ({ requeued, ended = [] }, paint) =>
    [
      `Put ${plural(requeued, "message")} back`,
      ...ended.map(
        (name) =>
          `${paint.yellow("note")} "${inLine(name)}" is a sub-agent that has finished and no longer reads mail`,
      ),
    ].join("\n"),
  "deadLetters.purge": ({ purged }) => `Deleted ${plural(purged, "dead letter")}`,
};
