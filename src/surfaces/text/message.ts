/** A message of an inbox, with all that belongs to it. */
import type { Message } from "../../contract/message.ts";
import type { Paint } from "./paint.ts";
import { oneLine, safe, safeJson } from "./safe.ts";
import { senderText } from "./sender.ts";
import { relative } from "./time.ts";

/** A body `not needed` adds nothing to the summary `cancelled: not needed`, nor `busy` to `stop working on it (busy)`. */
export const repeats = (summary: string, body: string) => {
  const said = body.trim();
  if (summary === body || said.includes("\n")) return false;
  return summary.endsWith(`: ${said}`) || summary.endsWith(` (${said})`);
};

/** How much of its own text whoever wrote it is shown. */
const ownLimit = { characters: 2000, lines: 40 };

/** The beginning of a long text, and how long all of it is: its writer has it, and knows it. */
export function beginningOf(text: string): string {
  const short = text
    .slice(0, ownLimit.characters)
    .split("\n")
    .slice(0, ownLimit.lines)
    .join("\n")
    .toWellFormed();
  return short.length < text.length ? `${short}\n… (all ${text.length} characters were stored)` : text;
}

/** What its writer is shown of it. */
export function ownMessageText(message: Message, paint: Paint): string {
  const payload = safeJson(message.payload);
  const isLong = payload.length > ownLimit.characters;
  const shown = { ...message, body: beginningOf(message.body), ...(isLong && { payload: {} }) };
  const note = isLong ? `\n  ${paint.dim("payload")} ${payload.length} characters of JSON` : "";
  return messageText(shown, paint) + note;
}

export function messageText(message: Message, paint: Paint): string {
  const { messageId, fromAgent, toAgent, kind, summary, body, payload, artifacts, createdAt } = message;
  const from = senderText(fromAgent, message.senderVerified, paint.bold);
  const lines = [
    `${paint.dim(messageId)} ${from} → ${safe(toAgent)} ${paint.cyan(kind)} ${paint.dim(relative(createdAt))}`,
  ];
  const said = safe(body).trimEnd().split("\n");
  // A summary that was taken from the body is not shown twice.
  if (!said[0]!.startsWith(safe(summary).replace(/…$/, "")) || !body) lines.push(`  ${oneLine(summary)}`);
  if (body && !repeats(summary, body)) lines.push(...said.map((line) => `  ${paint.dim("│")} ${line}`));
  if (Object.keys(payload).length) lines.push(`  ${paint.dim("payload")} ${safe(safeJson(payload))}`);
  for (const artifact of artifacts)
    lines.push(`  ${paint.dim(oneLine(artifact.kind))} ${oneLine(artifact.path)}`);
  return lines.join("\n");
}
