/** The person's inbox as text. */

import type { DocumentChange, DocumentState } from "../../contract/document.ts";
import { type Entry, unreadLimit } from "../../contract/entry.ts";
import { lineDiff, partsOf } from "../../contract/line-diff.ts";
import { blank, call, field, phrase } from "../../contract/phrase.ts";
import { plural } from "../../contract/plural.ts";
import { wayBack } from "../../contract/workspace.ts";
import type { NounRenders } from "./noun-renders.ts";
import type { Paint } from "./paint.ts";
import { cut, inLine, quoted, safe, safeJson } from "./safe.ts";
import { relative } from "./time.ts";

const from = ({ workspaceLabel, sender }: Entry) => workspaceLabel ?? sender ?? "";
const when = ({ ts }: Entry) => relative(new Date(ts).toISOString());

const answerText = ({ answer, answeredBy }: Entry, at: string) =>
  `answered ${answer === null ? "" : `"${cut(answer, 80)}" `}${answeredBy === null ? "" : `by ${inLine(answeredBy)} `}${relative(at)}`;

/** [A5.6] What a question offers, and what was answered. */
function answerLine(entry: Entry, paint: Paint): string[] {
  if (entry.answeredAt !== null) return [paint.dim(answerText(entry, entry.answeredAt))];
  return entry.choices ? [choicesText(entry.choices, paint)] : [];
}

const choicesText = (choices: readonly string[], paint: Paint) =>
  `${paint.dim("choices")} ${choices.map(inLine).join(paint.dim(" | "))}`;

function line(entry: Entry, paint: Paint): string {
  const mark = entry.readAt === null ? paint.bold("●") : " ";
  const what = entry.comments || entry.docs.map(({ path }) => path).join(", ");
  const answer = answerLine(entry, paint);
  return [`${mark} ${entry.id} ${when(entry)} ${cut(from(entry), 40)}`, cut(what, 100), ...answer].join(
    "\n    ",
  );
}

function documentText({ n, path, exists, type, size, problem }: DocumentState, paint: Paint): string {
  const state = exists ? `${type}, ${plural(size ?? 0, "byte")}` : paint.yellow(inLine(problem ?? "gone"));
  return `  ${paint.dim(`[${n}]`)} ${inLine(path)}  ${state}`;
}

function changeText({ path, seenAt, before, after, added, removed }: DocumentChange, paint: Paint): string {
  const name = paint.bold(inLine(path));
  if (seenAt === null || before === null) return `${name}  ${paint.dim("not read yet")}`;
  if (after === null)
    return `${name}  ${paint.yellow("cannot be compared: the file is gone, is not text, or is too long")}`;
  if (!added && !removed) return `${name}  ${paint.dim(`unchanged since ${relative(seenAt)}`)}`;
  const marks = {
    same: (text: string) => `  ${text}`,
    added: (text: string) => paint.green(`+ ${text}`),
    removed: (text: string) => paint.red(`- ${text}`),
  };
  const shown = partsOf(lineDiff(before, after).lines).flatMap((part) =>
    "left" in part
      ? [paint.dim(`  … ${plural(part.left, "unchanged line")}`)]
      : part.lines.map(({ is, text }) => marks[is](safe(text))),
  );
  return [`${name}  +${added} −${removed} since ${relative(seenAt)}`, ...shown].join("\n");
}

export const entryRenders: NounRenders<"entries"> = {
  "entries.push": ({ id }) => `pushed ${id}`,
  "entries.history": ({ entries, hasMore, unread, filtered }, paint, spell) => {
    if (!entries.length) return filtered ? `no such entries; ${unread} unread` : "the inbox is empty";
    const before = field("before", entries.at(-1)!.id);
    const more = hasMore ? [paint.dim(spell(phrase`more: add ${before}`))] : [];
    const count = unread >= unreadLimit ? `${unreadLimit} or more` : unread;
    return [...entries.map((entry) => line(entry, paint)), ...more, `${count} unread`].join("\n");
  },
  "entries.show": ({ entry, workspace, documents }, paint) => {
    const back = workspace && wayBack(workspace);
    const facts = [entry.kind, entry.threadId, entry.messageId, when(entry)].filter(Boolean).join(", ");
    const offers = entry.choices ? [choicesText(entry.choices, paint)] : [];
    const answered = entry.answeredAt ? [paint.dim(answerText(entry, entry.answeredAt))] : [];
    const failed = entry.failure?.output
      ? [quoted(safe(entry.failure.output).trimEnd(), `${paint.red("│")} `)]
      : [];
    return [
      `${paint.bold(inLine(from(entry)))} ${paint.dim(facts)}`,
      ...documents.map((each) => documentText(each, paint)),
      ...(entry.comments ? [quoted(safe(entry.comments).trimEnd(), `${paint.dim("│")} `)] : []),
      ...failed,
      ...offers,
      ...answered,
      ...(back ? [`${paint.dim("its session")} ${inLine(back)}`] : []),
    ].join("\n");
  },
  "entries.reply": ({ entry, message, isAnswer }, _paint, spell) => {
    const { choices, answer, id } = entry;
    const to = `${safe(message.toAgent)}${message.threadId ? ` in ${message.threadId}` : ""}`;
    if (!isAnswer) return `sent to ${to} as one more message; the answer stays "${cut(answer ?? "", 80)}"`;
    if (!choices || choices.includes(answer ?? "")) return `answered ${to}`;
    const decide = phrase`${call("entries.reply", { id, choice: blank("CHOICE") })} decides`;
    return `answered ${to} in words, without a choice; ${spell(decide)}`;
  },
  "entries.read": ({ entry, already }) => `${entry.id} ${already ? "was read already" : "is read"}`,
  "entries.unread": ({ entry, already }) => `${entry.id} ${already ? "was unread already" : "is unread"}`,
  "entries.archive": ({ entry, already }) =>
    `${entry.id} ${already ? "was already archived" : "is archived"}`,
  "entries.unarchive": ({ entry, already }) =>
    `${entry.id} ${already ? "was not archived" : "is in the inbox again"}`,
  "entries.snooze": ({ entry }) =>
    `${entry.id} is hidden until ${entry.snoozedUntil ?? "the next entry of its thread or sender"}`,
  "entries.unsnooze": ({ entry, already }) =>
    `${entry.id} ${already ? "was not snoozed" : "is in the inbox again"}`,
  "entries.readAll": ({ read }) => `marked ${read} as read`,
  "entries.counts": ({ unread, needsYou, snoozed, workspaces }, paint) =>
    [
      `${unread} unread, ${needsYou} need you, ${snoozed} snoozed`,
      ...workspaces.map(
        (one) => `${paint.dim(one.workspaceId)} ${one.unread} unread, ${one.needsYou} need you`,
      ),
    ].join("\n"),
  "entries.changes": ({ documents }, paint) =>
    documents.map((each) => changeText(each, paint)).join("\n") || "the entry has no documents",
  "entries.seen": ({ kept }) => `remembered ${plural(kept.length, "document")} as read`,
  "entries.delete": ({ id, restorableUntil }, _paint, spell) =>
    restorableUntil === null
      ? `erased ${id}`
      : `deleted ${id}; ${spell(phrase`${call("entries.restore", { id })} restores it until ${restorableUntil}`)}`,
  "entries.restore": ({ entry, already }) => `${entry.id} ${already ? "was not deleted" : "was restored"}`,
  "entries.export": ({ entries }) => entries.map((each) => safeJson(each)).join("\n"),
  "entries.import": ({ imported, known }) => `added ${imported}; ${known} already existed`,
};
