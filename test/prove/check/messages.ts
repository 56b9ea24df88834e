/** What the history says of messages: who wrote them, who was shown them, what was there at the end. */
import type { History, Op } from "./history.ts";

export const collecting = new Set(["mailbox.receive", "mailbox.check", "mailbox.wait", "mailbox.gather"]);
const sending = new Set([
  "mailbox.send",
  "messages.send",
  "threads.send",
  "threads.update",
  "threads.done",
  "threads.fail",
]);

/** Our own clients confirm what they have: for them a message that was told is nobody else's. */
const confirmed = new Set(["cli", "cli-hub", "sdk", "sdk-hub"]);
export const confirms = ({ surface }: Op) => confirmed.has(surface);

export interface Written {
  op: Op;
  channel: string;
  text: string;
  /** Undefined where the writer was not told. */
  id?: number;
}

export interface Shown {
  op: Op;
  id: number;
  text: string;
  redelivered: boolean;
}

export interface Stored {
  op: Op;
  id: number;
  channel: string;
  text: string;
  status: string;
}

const numberOf = (id: unknown) => (typeof id === "number" ? id : Number(String(id).replace(/^msg_/, "")));

/** Every write of a message that was tried. Each has a text of its own. */
export function writesIn({ ops }: History): Written[] {
  return ops
    .filter((op) => sending.has(op.op))
    .map((op) => {
      const { input, value } = op;
      const message = op.op === "messages.send" ? value.id : value.message?.messageId;
      return {
        op,
        channel: input.channel ?? input.to ?? input.thread,
        text: input.content ?? input.message ?? input.summary,
        id: message === undefined ? undefined : numberOf(message),
      };
    });
}

/** Every message that a consumer was shown, also by an answer that was cut off. */
export function shownIn({ ops }: History): Shown[] {
  return ops
    .filter((op) => collecting.has(op.op) && op.input.ack !== "manual")
    .flatMap((op) =>
      (op.value.messages ?? []).map((message: { id: number; message: string; redelivered?: boolean }) => ({
        op,
        id: message.id,
        text: message.message,
        redelivered: message.redelivered === true,
      })),
    );
}

/** What a channel held at the end, acked or not. */
export function storedIn({ ops }: History): Stored[] {
  return ops
    .filter((op) => op.audit && op.op === "messages.inbox" && op.outcome === "ok")
    .flatMap((op) =>
      op.value.messages.map((message: { id: number; content: string; summary?: string; status: string }) => ({
        op,
        id: message.id,
        channel: op.input.channel,
        text: message.summary ?? message.content,
        status: message.status,
      })),
    );
}

export function groupBy<T, K>(all: readonly T[], key: (one: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const one of all) {
    const group = groups.get(key(one));
    if (group) group.push(one);
    else groups.set(key(one), [one]);
  }
  return groups;
}
