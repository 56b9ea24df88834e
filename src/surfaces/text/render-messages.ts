/** Channels and their messages. */
import { mailLimit } from "../../contract/mail.ts";
import type { OutputOf } from "../../contract/operations/index.ts";
import type { Text } from "../../contract/phrase.ts";
import { plural } from "../../contract/plural.ts";
import { channelLine } from "./channel-message.ts";
import { beginningOf } from "./message.ts";
import type { NounRenders } from "./noun-renders.ts";
import type { Paint } from "./paint.ts";
import { copiesText, recipientText } from "./recipient.ts";
import { inLine, quoted, safe } from "./safe.ts";
import { senderText } from "./sender.ts";
import { textTable } from "./text-table.ts";
import { relative } from "./time.ts";

type Read = Pick<OutputOf<"messages.inbox">, "messages" | "channel" | "count" | "similar">;

const channelText = (read: Read, paint: Paint, spell: (text: Text) => string) =>
  [...read.messages.map(channelLine), `${read.count} message(s)${meantText(read, paint, spell)}`].join("\n");

/** [M13] As for a message that was sent to such a name. */
const meantText = (
  { channel: name, similar }: Pick<Read, "channel" | "similar">,
  paint: Paint,
  spell: (text: Text) => string,
) => (similar ? recipientText({ name, known: false, similar }, paint, spell) : "");

export const messageRenders: NounRenders<"messages"> = {
  "messages.send": (output, paint, spell) =>
    output.copies
      ? copiesText(output.copies)
      : // A topic that nobody has read yet is normal; a name that looks like a known one is not.
        `${channelLine({ ...output, content: beginningOf(output.content) })}${output.recipient.similar.length || output.recipient.ended ? recipientText(output.recipient, paint, spell) : ""}`,
  // As the channel protocol prints it, for one message too.
  "messages.inbox": channelText,
  "messages.wait": channelText,
  "messages.replies": ({ messages, count }) =>
    [...messages.map(channelLine), `${count} message(s)`].join("\n"),
  "messages.ack": ({ message, already }) =>
    `${already ? "Already acknowledged" : "Acknowledged"} message ${message.id}`,
  "messages.ackAll": ({ channel, ackedCount }) =>
    `Acknowledged ${plural(ackedCount, "message")} on ${safe(channel)}`,
  "messages.channels": ({ channels }, paint) =>
    channels.length
      ? textTable(
          ["CHANNEL", "PENDING", "LATEST"],
          channels.map(({ channel, pending, latestId }) => [
            safe(channel),
            String(pending),
            String(latestId),
          ]),
          paint.dim,
        )
      : "no channels yet",
  "messages.pending": ({ channel, count, similar }, paint, spell) =>
    `${plural(count, "pending message")} on ${safe(channel)}${meantText({ channel, similar }, paint, spell)}`,
  "messages.readers": ({ channel, readers, similar }, paint, spell) =>
    readers.length
      ? textTable(
          ["READER", "HAS READ", "BEHIND", "SINCE"],
          readers.map(({ reader, position, behind, committedAt }) => [
            safe(reader),
            String(position),
            behind >= mailLimit ? `${mailLimit}+` : String(behind),
            relative(committedAt),
          ]),
          paint.dim,
        )
      : `no reader of ${safe(channel)} has a stored position${meantText({ channel, similar }, paint, spell)}`,
  "messages.gc": ({ expired, acked }) =>
    `Deleted ${expired} expired and ${plural(acked, "acknowledged message")}`,
  "messages.read": ({ message, offset, total }, paint) => {
    const end = offset + message.content.length;
    const part = offset > 0 || end < total ? paint.dim(` characters ${offset}–${end} of ${total}`) : "";
    return `${message.id} ${senderText(message.sender, message.senderVerified)} → ${safe(message.channel)}${part}\n${quoted(safe(message.content), "  ")}`;
  },
  "messages.status": (receipt, paint) => {
    const at = (time: string | null) => (time === null ? "never" : relative(time));
    const rows: [string, string][] = [
      ["status", receipt.status],
      ["stored", at(receipt.storedAt)],
      [
        "handed",
        receipt.handed ? `${plural(receipt.handed, "time")}, first ${at(receipt.firstHandedAt)}` : "never",
      ],
      ["acked", receipt.ackedAt ? `${at(receipt.ackedAt)} by ${safe(receipt.ackedBy ?? "")}` : "no"],
    ];
    if (receipt.deadAt) rows.push(["dead", `${at(receipt.deadAt)}: ${inLine(receipt.deadReason ?? "")}`]);
    const head = `${receipt.id} ${safe(receipt.sender)} → ${safe(receipt.channel)}`;
    return [head, ...rows.map(([name, value]) => `  ${paint.dim(name.padEnd(7))} ${value}`)].join("\n");
  },
};
