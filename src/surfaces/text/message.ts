/** A message of an inbox, with all that belongs to it. */
import type { Message } from "../../contract/message.ts";
import type { Paint } from "./paint.ts";
import { oneLine, safe, safeJson } from "./safe.ts";
import { senderText } from "./sender.ts";
import { relative } from "./time.ts";

/** A body `not needed` adds nothing to the summary `cancelled: not needed`. */
export const repeats = (summary: string, body: string) =>
  summary !== body && !body.trim().includes("\n") && summary.endsWith(`: ${body.trim()}`);

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
