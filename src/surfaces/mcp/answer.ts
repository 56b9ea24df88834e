/**
 * [X6] An answer for a model: the fields as they are, and a short text. Long bodies are cut, with the call that reads
 * the rest.
 */
import { type MailAnswer, terminalMail } from "../../contract/mail.ts";
import type { AnyOperation, ToolForm } from "../../contract/operation.ts";
import type { OperationName } from "../../contract/operations/index.ts";
import { snakeCase } from "../text/recase.ts";
import type { ToolResult } from "./call.ts";
import { toolText } from "./text.ts";
import type { Tool } from "./tools.ts";

/** Longer bodies are cut: a model pays for every character, and may not need them all. */
export const bodyLimit = 8000;

export function answerOf({ op, form }: Tool, value: unknown, agent: string): ToolResult {
  const shortened = form.whole ? value : shorten(value);
  const text = toolText(op.name as OperationName, shortened as never);
  if (form.shape === "text") return { content: [{ type: "text", text }] };
  return {
    content: [{ type: "text", text }],
    structuredContent: fieldsFor(op, form, shortened, agent),
  };
}

function fieldsFor(
  op: AnyOperation,
  { shape, set }: ToolForm,
  value: unknown,
  agent: string,
): Record<string, unknown> {
  if (shape === "terminal") return terminalInbox(value as MailAnswer, agent);
  if (op.cli.shape === "channel") return value as Record<string, unknown>;
  const fields = set === "supervisor" ? { ...(brief(value) as object), ...marked(value) } : value;
  return snakeCase(fields) as Record<string, unknown>;
}

/** Fields that a model has sent itself, cannot use, or has in another field: it would pay for them again. */
const useless = new Set(["prompt", "cwd", "host", "pid", "session", "parent", "retries", "messages"]);

/** Of a task, the fields that a model can use; empty ones are left out. */
function brief(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(brief);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(
    ([key, inner]) => inner !== null && !useless.has(key) && !(key === "after" && !inner.length),
  );
  return Object.fromEntries(kept.map(([key, inner]) => [key, brief(inner)]));
}

/** [B4] A result that was delivered before is marked as such, although only the text of its message is shown. */
function marked(value: unknown): { redelivered?: true } {
  const { messages } = value as { messages?: unknown };
  return Array.isArray(messages) && messages.some(({ redelivered }) => redelivered)
    ? { redelivered: true }
    : {};
}

/** The shape that the first protocol gave an inbox; a message of a thread also names the thread. */
function terminalInbox({ messages, total }: MailAnswer, terminal: string): Record<string, unknown> {
  return {
    success: true,
    terminal_id: terminal,
    messages: messages.map((one) => ({
      ...terminalMail(one),
      ...(one.threadId !== null && { thread_id: one.threadId, kind: one.kind }),
      ...(one.redelivered && { redelivered: true }),
    })),
    total,
  };
}

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
  return `${text.slice(0, bodyLimit)}… [${text.length - bodyLimit} of ${text.length} characters cut: msg_read {"id": ${number}, "offset": ${bodyLimit}} reads on, or the resource inbox://messages/${number}]`;
}
