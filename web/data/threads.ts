/** Threads: the list under a filter, and the one that is open with its lease and messages. */
import { signal } from "@preact/signals";
import type { Lease } from "../../src/contract/lease.ts";
import type { Message } from "../../src/contract/message.ts";
import type { Status, Thread } from "../../src/contract/thread.ts";
import { activeStatuses, endedStatuses } from "../../src/contract/thread.ts";
import { api, problemOf } from "./api.ts";
import { coalesced } from "./coalesce.ts";

export type { Lease, Message, Status, Thread };
export type Which = "open" | "ended" | "all";

export const which = signal<Which>("all");
export const threads = signal<readonly Thread[]>([]);
export const hasMore = signal(false);
export const loaded = signal(false);
export const problem = signal<ReturnType<typeof problemOf> | undefined>();

const filterOf = (asked: Which) =>
  asked === "all"
    ? {}
    : { status: asked === "open" ? (["pending", ...activeStatuses] as Status[]) : [...endedStatuses] };

export const loadThreads = coalesced(async () => {
  const asked = which.peek();
  try {
    const page = await api.threads.list({
      ...filterOf(asked),
      limit: Math.min(1000, Math.max(200, threads.peek().length)),
    });
    if (asked !== which.peek()) return;
    threads.value = page.threads;
    hasMore.value = page.hasMore;
    loaded.value = true;
    problem.value = undefined;
  } catch (error) {
    problem.value = problemOf(error);
  }
});

export const loadMore = coalesced(async () => {
  const last = threads.peek().at(-1);
  if (!hasMore.peek() || !last) return;
  const page = await api.threads.list({ ...filterOf(which.peek()), limit: 200, before: last.threadId });
  threads.value = [...threads.peek(), ...page.threads];
  hasMore.value = page.hasMore;
});

export interface Opened {
  thread: Thread;
  lease: Lease | null;
  messages: readonly Message[];
}

export const openThread = (thread: string): Promise<Opened> => api.threads.show({ thread });
export const replyTo = (thread: string, to: string, body: string) =>
  api.threads.reply({
    thread,
    to,
    summary: body.split("\n")[0]!.slice(0, 400),
    ...(body.includes("\n") || body.length > 400 ? { body } : {}),
  });
export const cancelThread = (thread: string, reason: string) =>
  api.threads.cancel({ thread, ...(reason && { reason }) });
export const isEnded = (status: Status) => endedStatuses.includes(status);
