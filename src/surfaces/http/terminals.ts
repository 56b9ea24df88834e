/** [C4.3] The mailbox for clients that call an agent a terminal: the same operations, with their names. */
import { InboxError } from "../../contract/errors.ts";
import { type Mail, terminalMail } from "../../contract/mail.ts";

type Fields = Record<string, unknown>;

/** The operation that such a route calls, and how its answer is translated. */
export interface Translation {
  operation: "mailbox.send" | "messages.inbox" | "mailbox.wait";
  input(given: Fields): Fields;
  output(value: never): unknown;
}

const only = (given: Fields, ...known: string[]) => {
  const odd = Object.keys(given).find((key) => !known.includes(key));
  if (odd !== undefined)
    throw new InboxError(
      "invalid_input",
      `${odd} is not a known parameter; the parameters are ${known.slice(1).join(", ")}`,
    );
};

/** A value that is not a plain number stays text, and is refused by the schema. */
const number = (value: unknown) =>
  typeof value === "string" && /^\d+(\.\d+)?$/.test(value) ? Number(value) : value;

export const terminalRoutes: Record<string, Translation> = {
  "POST /terminals/:id/inbox/messages": {
    operation: "mailbox.send",
    input: (given) => {
      only(given, "id", "sender_id", "message");
      return { to: given.id, from: given.sender_id, message: given.message };
    },
    output: ({
      message,
    }: {
      message: { messageId: string; fromAgent: string; toAgent: string; body: string; createdAt: string };
    }) => ({
      success: true,
      id: Number(message.messageId.slice(4)),
      sender_id: message.fromAgent,
      receiver_id: message.toAgent,
      message: message.body,
      status: "pending",
      created_at: message.createdAt,
    }),
  },
  "GET /terminals/:id/inbox/messages": {
    operation: "messages.inbox",
    input: (given) => {
      only(given, "id", "status", "limit");
      const { status } = given;
      if (status !== undefined && status !== "pending" && status !== "consumed")
        throw new InboxError("invalid_input", `status must be pending or consumed, got "${String(status)}"`);
      return {
        channel: given.id,
        includeAcked: status === undefined,
        onlyAcked: status === "consumed",
        limit: number(given.limit),
      };
    },
    output: ({
      messages,
    }: {
      messages: { id: number; sender: string; content: string; status: string; createdAt: string }[];
    }) =>
      messages.map(({ id, sender, content, status, createdAt }) => ({
        id,
        sender_id: sender,
        message: content,
        status: status === "acked" ? "consumed" : status,
        created_at: createdAt,
      })),
  },
  "GET /terminals/:id/inbox/messages/wait": {
    operation: "mailbox.wait",
    input: (given) => {
      only(given, "id", "timeout", "batch_window");
      return {
        agent: given.id,
        timeoutSeconds: number(given.timeout),
        batchWindow: number(given.batch_window),
      };
    },
    output: ({ messages }: { messages: Mail[] }) =>
      messages.map((one) => ({
        ...terminalMail(one),
        thread_id: one.threadId,
        kind: one.kind,
        redelivered: one.redelivered,
      })),
  },
};
