/**
 * [X6] An answer for a model: the fields as they are, and a short text. What an agent wrote is data: in the text it is
 * quoted under its sender's name. Long bodies are cut, with the call that reads on.
 */
import type { Mail } from "../../contract/mail.ts";
import type { OperationName, OutputOf } from "../../contract/operations/index.ts";
import { plainPaint } from "../text/paint.ts";
import { snakeCase } from "../text/recase.ts";
import { render } from "../text/render.ts";
import type { ToolResult } from "./call.ts";
import type { Tool } from "./tools.ts";

/** A body longer than this is cut: a model pays for every character, and may not want them all. */
export const bodyLimit = 8000;

export function answerOf({ op, form }: Tool, value: unknown, agent: string): ToolResult {
  // Who asks for a part of a text wants that part.
  const shortened = op.name === "messages.read" ? value : shorten(value);
  const structured =
    form.tool === "check_inbox"
      ? checkInbox(shortened as OutputOf<"mailbox.wait">, agent)
      : op.cli.shape === "channel"
        ? (shortened as Record<string, unknown>)
        : (snakeCase(shortened) as Record<string, unknown>);
  const text = isMail(shortened)
    ? mailText(shortened)
    : render(op.name as OperationName, shortened as never, plainPaint);
  return { content: [{ type: "text", text }], structuredContent: structured };
}

/** The shape it has had since its first protocol; a message of a thread says which. */
function checkInbox(
  { messages, total }: OutputOf<"mailbox.wait">,
  terminal: string,
): Record<string, unknown> {
  return {
    success: true,
    terminal_id: terminal,
    messages: messages.map(
      ({ id, senderId, message, createdAt, threadId, kind, redelivered, senderVerified }) => ({
        id,
        sender_id: senderId,
        message,
        created_at: createdAt,
        ...(threadId !== null && { thread_id: threadId, kind }),
        ...(redelivered && { redelivered }),
        ...(senderVerified && { sender_verified: true }),
      }),
    ),
    total,
  };
}

type MailAnswer = Pick<OutputOf<"mailbox.receive">, "messages" | "hidden">;
const isMail = (value: unknown): value is MailAnswer =>
  typeof value === "object" && value !== null && "messages" in value && "total" in value && "hidden" in value;

function mailText({ messages, hidden }: MailAnswer): string {
  if (!messages.length) return hidden ? `nothing new; ${hidden} in somebody's hands` : "nothing new";
  return messages.map(oneMail).join("\n");
}

const oneMail = ({ id, senderId, message, threadId, kind, redelivered }: Mail) =>
  `#${id} ${senderId}${threadId === null ? "" : ` ${threadId} ${kind}`}${redelivered ? " again" : ""}:\n${quoted(message)}`;

const quoted = (text: string) => text.replace(/^/gm, "> ");

/** The same value with long texts cut. */
function shorten(value: unknown, id?: number | string): unknown {
  if (Array.isArray(value)) return value.map((item) => shorten(item));
  if (typeof value !== "object" || value === null) return value;
  const record = value as Record<string, unknown>;
  const own = (record.messageId ?? record.id ?? id) as number | string | undefined;
  return Object.fromEntries(
    Object.entries(record).map(([key, inner]) => [
      key,
      typeof inner === "string" && inner.length > bodyLimit && own !== undefined
        ? cut(inner, own)
        : shorten(inner, own),
    ]),
  );
}

function cut(text: string, id: number | string): string {
  const number = String(id).replace(/^msg_/, "");
  return `${text.slice(0, bodyLimit)}… [${text.length - bodyLimit} of ${text.length} characters cut: msg_read {"id": ${number}, "offset": ${bodyLimit}} reads on]`;
}
