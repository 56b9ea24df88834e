/** Threads, as lines or rows, and their messages. */

import type { Lease } from "../../contract/lease.ts";
import type { Message } from "../../contract/message.ts";
import type { OutputOf } from "../../contract/operations/index.ts";
import { blank, call, field, ownCall, type Phrase, phrase, type Text } from "../../contract/phrase.ts";
import { type EndedStatus, isEndedStatus, type Thread } from "../../contract/thread.ts";
import { messageText, ownMessageText } from "./message.ts";
import type { NounRenders } from "./noun-renders.ts";
import type { Paint } from "./paint.ts";
import { recipientText, unknownLines } from "./recipient.ts";
import { cut, safe } from "./safe.ts";
import { statusText } from "./status.ts";
import { textTable } from "./text-table.ts";
import { relative } from "./time.ts";
import { withoutWorkLines } from "./without-work.ts";

const leaseText = (lease: Lease | null) =>
  lease ? `${safe(lease.agentId)}, ${lease.lapsed ? "expired" : "expires"} ${relative(lease.expiresAt)}` : "";

const headline = (thread: Thread, paint: Paint) =>
  `${paint.bold(thread.threadId)} ${statusText(thread.status, paint)}  ${cut(thread.subject, 70)}`;

function threadRows(threads: readonly Thread[], paint: Paint): string[][] {
  return threads.map((thread) => [
    thread.threadId,
    statusText(thread.status, paint),
    thread.priority,
    cut(thread.createdBy, 20),
    cut(thread.assignedTo, 20),
    relative(thread.updatedAt),
    cut(thread.subject, 50),
  ]);
}

const threadHead = ["THREAD", "STATUS", "PRIORITY", "FROM", "TO", "UPDATED", "SUBJECT"];

/** The most common answer: the state of the thread, and the message. */
const said = ({ thread, message }: { thread: Thread; message: Message }, paint: Paint) =>
  `${headline(thread, paint)}\n${ownMessageText(message, paint)}`;

/** [W7] What a wait in a thread that has ended says. */
function endText({ woke, threadId: thread }: OutputOf<"threads.waitReply">, ended: EndedStatus): Phrase {
  const shows = phrase`${call("threads.show", { thread })} shows ${ended === "cancelled" ? "why" : "its result"}`;
  return woke
    ? phrase`${thread} has ended (${ended}): no further reply is to be expected; ${shows}`
    : phrase`${thread} has ended (${ended}), and there is no new reply; ${shows}`;
}

/** A message in a thread. [W7.6] In one that has ended it is kept, but nobody works on it there. */
function postedText(output: OutputOf<"threads.reply">, paint: Paint, spell: (text: Text) => string): string {
  const { thread, message, recipient } = output;
  const text = said(output, paint) + recipientText(recipient, paint, spell);
  if (!isEndedStatus(thread.status)) return text;
  const to = message.toAgent;
  const kept = `${thread.threadId} has ended (${thread.status}) and stays so: the message is mail for ${safe(to)}`;
  const note =
    to === thread.assignedTo
      ? phrase`${kept}; for more work create a thread with ${ownCall("threads.send", { to, subject: blank("…") })}`
      : kept;
  return `${text}\n${paint.yellow("note")} ${spell(note)}`;
}

export const threadRenders: NounRenders<"threads"> = {
  "threads.send": postedText,
  "threads.reply": postedText,
  "threads.update": (output, paint) => `${said(output, paint)}\nlease ${leaseText(output.lease)}`,
  "threads.cancel": said,
  "threads.done": (output, paint) =>
    output.already
      ? `${headline(output.thread, paint)}\nalready recorded; nothing was changed`
      : said(output, paint),
  "threads.fail": (output, paint) =>
    output.already
      ? `${headline(output.thread, paint)}\nalready recorded; nothing was changed`
      : said(output, paint),
  "threads.release": ({ thread, message }, paint) =>
    message ? said({ thread, message }, paint) : headline(thread, paint),
  "threads.reassign": (output, paint, spell) =>
    said(output, paint) +
    (output.lost === null ? "" : `\n${safe(output.lost)} was told to stop`) +
    recipientText(output.recipient, paint, spell),
  "threads.renew": ({ thread, lease }, paint) => `${headline(thread, paint)}\nlease ${leaseText(lease)}`,
  "threads.claim": ({ thread, lease, messages, sentTo, held, unknown, ended }, paint, spell) => {
    const before = ended ? [`${headline(ended.thread, paint)}\n`] : [];
    if (!thread || !lease)
      return [...before, "nothing to claim", ...withoutWorkLines({ held, unknown }, paint, spell)].join("\n");
    const head = `${headline(thread, paint)}\nlease expires ${relative(lease.expiresAt)}, attempt ${lease.attempt}, token ${lease.token}`;
    const note =
      sentTo === undefined ? "" : `\n${paint.yellow("note")} this thread was assigned to "${safe(sentTo)}"`;
    const shown = [head + note, ...messages.map((message) => messageText(message, paint))].join("\n\n");
    return [...before, shown].join("\n");
  },
  "threads.fetch": ({ threads, held, unknown }, paint, spell) => {
    if (!threads.length)
      return ["nothing to do", ...withoutWorkLines({ held, unknown }, paint, spell)].join("\n");
    const rows = threadRows(threads, paint).map((row, i) => [
      ...row,
      threads[i]!.claimable ? paint.green("yes") : "no",
      leaseText(threads[i]!.lease),
    ]);
    return textTable([...threadHead, "CLAIMABLE", "LEASE"], rows, paint.dim);
  },
  "threads.list": ({ threads, hasMore, leases, unknown }, paint, spell) => {
    if (!threads.length) return ["no threads", ...unknownLines(unknown, paint)].join("\n");
    const leaseOf = new Map(leases?.map((lease) => [lease.threadId, lease]));
    const rows = threadRows(threads, paint).map((row, i) =>
      leases ? [...row, leaseText(leaseOf.get(threads[i]!.threadId) ?? null)] : row,
    );
    const head = leases ? [...threadHead, "LEASE"] : threadHead;
    const before = field("before", threads.at(-1)!.threadId);
    const more = hasMore ? `\n${paint.dim(spell(phrase`more: add ${before}`))}` : "";
    return textTable(head, rows, paint.dim) + more;
  },
  "threads.show": ({ thread, lease, messages }, paint) => {
    const facts = `${safe(thread.createdBy)} → ${safe(thread.assignedTo)}, ${thread.priority}, run ${safe(thread.runId)}, task ${safe(thread.taskId)}, ${relative(thread.createdAt)}`;
    const head = [
      headline(thread, paint),
      paint.dim(facts),
      ...(lease ? [`lease ${leaseText(lease)}`] : []),
    ].join("\n");
    return [head, ...messages.map((message) => messageText(message, paint))].join("\n\n");
  },
  "threads.waitReply": (output, paint, spell) => {
    const { woke, messages, nextEventId, ended } = output;
    const end = ended && spell(endText(output, ended));
    if (!woke) return end ?? spell(phrase`no reply yet; continue with ${field("afterEvent", nextEventId)}`);
    const texts = messages.map((message) => messageText(message, paint));
    return [...texts, ...(end ? [paint.dim(end)] : [])].join("\n\n");
  },
};
