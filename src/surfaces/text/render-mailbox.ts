/** An inbox: its messages, and those that are handed over to a reader. */
import { choicesIn, person } from "../../contract/entry.ts";
import type { Mail } from "../../contract/mail.ts";
import { blank, ownCall, phrase, type Text, type Value } from "../../contract/phrase.ts";
import { failureText } from "./failure.ts";
import { isLate, lateText } from "./late-result.ts";
import { ownMessageText, repeats } from "./message.ts";
import type { NounRenders, Render } from "./noun-renders.ts";
import type { Paint } from "./paint.ts";
import { copiesText, recipientText, unknownLines } from "./recipient.ts";
import { cut, inLine, safe } from "./safe.ts";
import { senderText } from "./sender.ts";
import { textTable } from "./text-table.ts";
import { relative } from "./time.ts";

const waitingFor = (correlationId: string) =>
  phrase`${ownCall("mailbox.decide", { wait: true, correlationId })}`;

const emptyText = (hidden: number) =>
  hidden ? `no mail; ${hidden} handed to another reader and not yet acked` : "no mail";

/** [A5.9] Who has been asked reads how to answer: a whole call, to be made as it is. */
function answerLines({ id, kind, threadId, metadata }: Mail, paint: Paint, spell: (text: Text) => string) {
  if (kind !== "question") return [];
  const choices = choicesIn(metadata);
  const said: Record<string, Value> = choices ? { choice: choices[0]! } : { message: blank("…") };
  const answer =
    threadId === null
      ? ownCall("mailbox.answer", { question: id, ...said })
      : ownCall("threads.reply", { thread: threadId, summary: blank("…") });
  return [
    ...(choices ? [`${paint.dim("choices")} ${choices.map(inLine).join(" | ")}`] : []),
    paint.dim(`answer with: ${inLine(spell(phrase`${answer}`))}`),
  ];
}

function oneMail(mail: Mail, paint: Paint, spell: (text: Text) => string): string {
  const thread = mail.threadId ? ` ${paint.dim(mail.threadId)}` : "";
  const again = mail.redelivered ? ` ${paint.yellow("again")}` : "";
  const head = `${paint.dim(String(mail.id))} ${senderText(mail.senderId, mail.senderVerified, paint.bold)} ${paint.cyan(mail.kind)}${thread} ${paint.dim(relative(mail.createdAt))}${again}`;
  const failed = mail.kind === "result" ? failureText(mail.metadata, paint) : undefined;
  const said =
    mail.summary === undefined
      ? mail.message
      : repeats(mail.summary, mail.message)
        ? mail.summary
        : `${mail.summary}\n${mail.message}`;
  const late = isLate(mail) ? `${lateText(mail, paint.yellow)}\n` : "";
  const text = [late + (failed ?? safe(said).trimEnd()), ...answerLines(mail, paint, spell)].join("\n");
  return `${head}\n${text.replace(/^/gm, "  ")}`;
}

/** Of the first question in a list. The others are answered alike. */
const howToAnswer = (messages: readonly Mail[], paint: Paint, spell: (text: Text) => string) => {
  const first = messages.find(({ kind }) => kind === "question");
  const lines = first ? answerLines(first, paint, spell) : [];
  return lines.map((line) => `\n${paint.dim(String(first!.id))} ${line}`).join("");
};

const mailText: Render<"mailbox.receive"> = ({ messages, hidden, unknown }, paint, spell) =>
  messages.length
    ? messages.map((mail) => oneMail(mail, paint, spell)).join("\n\n")
    : [emptyText(hidden), ...unknownLines(unknown, paint)].join("\n");

export const mailboxRenders: NounRenders<"mailbox"> = {
  "mailbox.send": ({ message, recipient, copies }, paint, spell) =>
    copies ? copiesText(copies) : ownMessageText(message, paint) + recipientText(recipient, paint, spell),
  "mailbox.decide": ({ decided, choice, answers, correlationId }, paint, spell) => {
    const said = answers.map(({ agent, message }) => `${inLine(agent)}: ${inLine(message)}`);
    const waits = `not decided yet; ${spell(waitingFor(correlationId))} continues waiting`;
    if (!decided) return { text: "", aside: [...said, waits].join("\n") };
    return { text: paint.bold(safe(choice!)), aside: said.join("\n") };
  },
  "mailbox.answer": ({ message }) => `answered ${safe(message.toAgent)}`,
  "mailbox.ask": ({ message, correlationId, recipient }, paint, spell) => {
    // [A5.7] This is read by the one that asked: it names no command that answers.
    const who = message.toAgent === person ? "the person" : safe(message.toAgent);
    const next = message.payload.choices
      ? phrase`${who} answers it; ${waitingFor(correlationId)} waits for the decision`
      : phrase`${who} answers it; ${ownCall("mailbox.wait")} waits for the answer`;
    return `${ownMessageText(message, paint)}\n${paint.dim(spell(next))}${recipientText(recipient, paint, spell)}`;
  },
  "mailbox.receive": mailText,
  "mailbox.check": mailText,
  "mailbox.wait": mailText,
  "mailbox.gather": (output, paint, spell) => {
    const mails = output.messages.map((mail) => oneMail(mail, paint, spell));
    const silent = (word: string, names: readonly string[]) =>
      names.length ? [`${paint.yellow(word)} ${names.map(safe).join(", ")}`] : [];
    const missing = silent("no answer from", output.missing);
    const dead = silent("finished, result already collected:", output.dead);
    const unknown = unknownLines(output.unknown, paint);
    return [...mails, ...missing, ...dead, ...unknown].join("\n\n") || "no answers";
  },
  "mailbox.list": ({ messages, total, hidden }, paint, spell) => {
    if (!total) return emptyText(hidden);
    const rows = messages.map((mail) => [
      String(mail.id),
      senderText(cut(mail.senderId, 24), mail.senderVerified),
      mail.kind,
      mail.threadId ?? "–",
      relative(mail.createdAt),
      cut(`${isLate(mail) ? "late result: " : ""}${mail.summary ?? mail.message}`, 60),
    ]);
    const more = total > messages.length ? `\n${total - messages.length} more` : "";
    return `${textTable(["ID", "FROM", "KIND", "THREAD", "RECEIVED", "MESSAGE"], rows, paint.dim)}${more}${hidden ? `\n${hidden} hidden` : ""}${howToAnswer(messages, paint, spell)}`;
  },
};
