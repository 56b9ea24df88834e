/**
 * Answers that hand something over: each has a receipt, by which it is confirmed or released once it is known whether
 * it arrived.
 */

import { entriesShow } from "../bus/procedures/entries-show.ts" with { load: "when-called" };
import { threadsShow } from "../bus/procedures/threads-show.ts" with { load: "when-called" };
import type { BusFiles } from "../contract/document.ts";
import type { Message } from "../contract/message.ts";
import type { ParsedOf } from "../contract/operations/index.ts";
import type { Receipt } from "../contract/receipt.ts";
import type { Engine } from "../engines/engine.ts";
import type { Workplace } from "../orch/operations/place.ts";
import type { AnswerWithReceipt, Calling } from "../waiting/handed.ts";
import { claimOrWait } from "../waiting/threads-claim.ts" with { load: "when-called" };
import { waitReply } from "../waiting/threads-wait-reply.ts" with { load: "when-called" };

/** The location of the bus, and which files on this machine belong to it. */
export type Here = Workplace & { files: BusFiles };

// Loaded only by the one operation that reads files.
const documents = () => require("../documents/states.ts") as typeof import("../documents/states.ts");

export const plainly = <T>(value: T): AnswerWithReceipt<T> => ({ value });

export async function handClaim(engine: Engine, input: ParsedOf<"threads.claim">, call: Calling) {
  const { handOver, collects } = call;
  const { answer: value, fresh } = await claimOrWait(engine, { ...input, handOver, collects }, call);
  const { thread, lease } = value;
  if (!thread || !lease || collects) return plainly(value);
  // A valid lease that the caller already had stays: only a new one is released.
  const granted = fresh ? { lease: lease.token } : {};
  return collecting(value, { agent: input.agent, thread: thread.threadId, read: false, ...granted });
}

export async function handShow(engine: Engine, input: ParsedOf<"threads.show">) {
  const value = await engine.read((tx) => threadsShow(tx, input));
  if (!input.markRead || input.agent === undefined) return plainly(value);
  return collecting(value, { agent: input.agent, thread: input.thread, read: true });
}

export async function handEntry(
  engine: Engine,
  { id, markRead, agent }: ParsedOf<"entries.show">,
  _: Calling,
  { files }: Here,
) {
  const found = await engine.read((tx) => entriesShow(tx, id));
  const { statesOf } = documents();
  const confines = found.workspace ? { root: found.workspace.path, bus: files } : undefined;
  const value = { ...found, documents: statesOf(found.entry.docs, confines) };
  if (!markRead || found.entry.readAt !== null) return plainly(value);
  const receipt: Receipt = { of: "entry", agent, id };
  return { value, receipt };
}

/** [M3] A reader's position moves once the answer has arrived, if the call says so. */
export function committing<T extends { messages: readonly { id: number }[] }>(
  { channel, reader, commit }: { channel: string; reader?: string; commit: boolean },
  value: T,
): AnswerWithReceipt<T> {
  const last = value.messages.at(-1);
  if (!commit || reader === undefined || !last) return plainly(value);
  const receipt: Receipt = { of: "channel", reader, channel, position: last.id };
  return { value, receipt };
}

export async function handReply(
  engine: Engine,
  input: ParsedOf<"threads.waitReply">,
  { signal, handOver }: Calling,
) {
  const id = handOver ?? crypto.randomUUID();
  const value = await waitReply(engine, input, signal, id);
  if (input.agent === undefined) return plainly(value);
  // Nothing was found: nothing is hidden.
  const hidden = value.woke ? { id } : {};
  return collecting(value, { agent: input.agent, thread: input.thread, read: true, ...hidden });
}

function collecting<T extends { messages: readonly Message[] }>(
  value: T,
  what: Omit<Extract<Receipt, { of: "thread" }>, "of" | "messages">,
): AnswerWithReceipt<T> {
  const messages = value.messages.map((message) => message.messageId);
  return { value, receipt: { of: "thread", ...what, messages } };
}
