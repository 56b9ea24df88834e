/**
 * [X6] The short text of an answer, for a model. Text by agents is data: it is quoted line by line under its sender's
 * name, so that it cannot be taken for another message or for our own text. The rest is the same as for people.
 */
import type { ChannelMessage } from "../../contract/channel-message.ts";
import { choicesIn } from "../../contract/entry.ts";
import type { Mail } from "../../contract/mail.ts";
import type { OperationName, OutputOf } from "../../contract/operations/index.ts";
import { blank, call, phrase, spelled, type Value } from "../../contract/phrase.ts";
import { plural } from "../../contract/plural.ts";
import type { Recipient } from "../../contract/recipient.ts";
import { inTools } from "../spelling/tools.ts";
import { isLate, lateText } from "../text/late-result.ts";
import { plainPaint } from "../text/paint.ts";
import { unknownLines } from "../text/recipient.ts";
import { render } from "../text/render.ts";
import { oneLine, quoted as quotedWith } from "../text/safe.ts";
import { senderText } from "../text/sender.ts";

type Texts = { [N in OperationName]?: (output: OutputOf<N>) => string };

const quoted = (text: string) => quotedWith(text, "> ");

const withSummary = (text: string, summary: string | undefined) =>
  summary === undefined ? text : `${summary}\n\n${text}`;

function oneMail(mail: Mail): string {
  const { id, senderId, message, summary, threadId, kind, redelivered, senderVerified } = mail;
  const late = isLate(mail) ? ` (${lateText(mail)})` : "";
  return `#${id} ${senderText(senderId, senderVerified)}${threadId === null ? "" : ` ${threadId} ${kind}`}${redelivered ? " (redelivered)" : ""}${late}:\n${quoted(withSummary(message, summary))}${answerText(mail)}`;
}

/** [A5.9] The choices are words of the one who asks. */
function answerText({ id, kind, threadId, metadata }: Mail): string {
  if (kind !== "question" || threadId !== null) return "";
  const choices = choicesIn(metadata);
  const said: Record<string, Value> = choices ? { choice: blank("CHOICE") } : { message: blank("TEXT") };
  const offered = choices ? `\n${quoted(`choices: ${choices.map(oneLine).join(" | ")}`)}` : "";
  return `${offered}\n${spelled(phrase`${call("mailbox.answer", { question: id, ...said })} answers it`, inTools())}`;
}

const mailText = ({
  messages,
  hidden,
  unknown,
}: Pick<OutputOf<"mailbox.receive">, "messages" | "hidden" | "unknown">) => {
  if (messages.length) return messages.map(oneMail).join("\n");
  return [emptyText(hidden), ...unknownLines(unknown, plainPaint)].join("\n");
};

const emptyText = (hidden: number) =>
  hidden ? `no new mail; ${hidden} handed to another reader and not yet acked` : "no new mail";

const meantText = (similar: readonly string[] | undefined) =>
  similar
    ? `; nobody has used that channel yet${similar.length ? `, did you mean ${similar.join(" or ")}?` : ""}`
    : "";

const channelText = ({
  messages,
  similar,
}: {
  messages: readonly ChannelMessage[];
  similar?: readonly string[];
}) =>
  messages
    .map(
      ({ id, sender, senderVerified, content, summary }) =>
        `#${id} ${senderText(sender, senderVerified)}:\n${quoted(withSummary(content, summary))}`,
    )
    .join("\n") || `no messages${meantText(similar)}`;

const sentText = (id: number | string, { name, known, similar, hint }: Recipient) =>
  `sent ${id} to ${name}${hint ? `; ${hint}` : known ? "" : `; nobody has used that name yet${similar.length ? `, did you mean ${similar.join(" or ")}?` : ""}`}`;

const copiesText = (copies: readonly { channel: string }[]) =>
  `sent to ${copies.map((copy) => copy.channel).join(", ")}`;

const texts: Texts = {
  "mailbox.send": ({ message, recipient, copies }) =>
    copies ? copiesText(copies) : sentText(message.messageId, recipient),
  "mailbox.receive": mailText,
  "mailbox.check": mailText,
  "mailbox.wait": mailText,
  "mailbox.gather": ({ messages, missing, dead, unknown }) =>
    [
      ...messages.map(oneMail),
      ...(missing.length ? [`missing: ${missing.join(", ")}`] : []),
      ...(dead.length ? [`dead: ${dead.join(", ")}`] : []),
      ...unknownLines(unknown, plainPaint),
    ].join("\n") || "no answers",
  "messages.inbox": channelText,
  "messages.wait": channelText,
  "messages.replies": channelText,
  "messages.send": ({ id, channel, copies, recipient }) =>
    copies
      ? copiesText(copies)
      : sentText(`#${id}`, {
          ...recipient,
          name: channel,
          known: recipient.known || !recipient.similar.length,
        }),
  "messages.read": ({ message: { id, sender, senderVerified, content }, offset, total }) => {
    const end = offset + content.length;
    const part = offset > 0 || end < total ? `, characters ${offset}–${end} of ${total}` : "";
    return `#${id} ${senderText(sender, senderVerified)}${part}:\n${quoted(content)}`;
  },
  "threads.waitReply": (output) =>
    output.woke || output.ended
      ? render("threads.waitReply", output, plainPaint, inTools)
      : "no reply yet; call again, nothing is missed",
  "events.watch": (output) =>
    output.woke
      ? render("events.watch", output, plainPaint, inTools)
      : `no events; continue with after_event ${output.nextEventId}`,
  // As the protocol of the calling program requires.
  "tasks.permit": (output) => JSON.stringify(output),
  "tasks.push": ({ task, missing, unknown }) => {
    const next = missing
      ? `but ${missing.program} is not installed here, so it would fail: ${missing.hint}`
      : "run starts it";
    return [`queued ${task.name}; ${next}`, ...unknownLines(unknown, plainPaint)].join("\n");
  },
  // Its result goes to the model itself.
  "tasks.assign": (output) => render("tasks.assign", { ...output, parent: "main" }, plainPaint, inTools),
  "tasks.run": ({ released, running, waiting }) =>
    released.length || running || waiting
      ? `${released.length ? `released ${plural(released.length, "task")}: ${released.join(", ")}` : "no new tasks to run"}; results are delivered to your inbox`
      : "nothing is queued",
  "tasks.handoff": ({ status, terminalId, message, messages, success, unknown }) => {
    if (status === "running")
      return [
        `${terminalId} is still running; call again with terminal_id`,
        ...unknownLines(unknown, plainPaint),
      ].join("\n");
    if (message === null) return `${terminalId} has finished; its result was already collected`;
    const again = messages.some(({ redelivered }) => redelivered) ? " (redelivered)" : "";
    return `${terminalId}${success ? "" : " failed"}${again}:\n${quoted(message)}`;
  },
  "threads.list": (output) => {
    const more = output.hasMore ? `\nmore: before ${output.threads.at(-1)!.threadId}` : "";
    return render("threads.list", { ...output, hasMore: false }, plainPaint, inTools) + more;
  },
};

export function toolText<N extends OperationName>(name: N, output: OutputOf<N>): string {
  const own = texts[name] as ((output: OutputOf<N>) => string) | undefined;
  return own ? own(output) : render(name, output, plainPaint, inTools);
}
