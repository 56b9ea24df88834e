/** Threads: the list under a filter, and the one that is open with its lease and messages. */
import { choicesIn } from "../../src/contract/entry.ts";
import type { Lease } from "../../src/contract/lease.ts";
import type { Message } from "../../src/contract/message.ts";
import type { Status, Thread } from "../../src/contract/thread.ts";
import { activeStatuses, endedStatuses, isEndedStatus } from "../../src/contract/thread.ts";
import { query } from "../router.ts";
import { api } from "./api.ts";
import { pagedStore } from "./pages.ts";

export type { Lease, Message, Status, Thread };
export const whiches = ["open", "ended", "all"] as const;
export type Which = (typeof whiches)[number];
/** As it is listed: with its lease, if somebody holds it. */
export type ListedThread = Thread & { lease?: Lease };

/** The filter that the address names. */
export const chosenWhich = (): Which => whiches.find((one) => one === query.value.get("show")) ?? "all";

const filterOf = (asked: Which) =>
  asked === "all"
    ? {}
    : { status: asked === "open" ? (["pending", ...activeStatuses] as Status[]) : [...endedStatuses] };

const pageSize = 200;

/** Any event may move a thread to another group, so what is loaded is loaded again as a whole. */
export const threads = pagedStore<ListedThread, Which>({
  filter: chosenWhich(),
  async fetch(which, { before, known }) {
    const limit = before ? pageSize : Math.min(1000, Math.max(pageSize, known));
    const {
      threads: listed,
      leases = [],
      hasMore,
    } = await api.threads.list({
      leases: true,
      ...filterOf(which),
      limit,
      ...(before && { before: before.threadId }),
    });
    const leaseOf = new Map(leases.map(({ threadId, ...lease }) => [threadId, lease]));
    return { items: listed.map((one) => ({ ...one, lease: leaseOf.get(one.threadId) })), hasMore };
  },
  changedBy: ({ threadId }) => threadId !== null,
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
export const reassign = (thread: string, to: string) => api.threads.reassign({ thread, to });
export const takeBack = (thread: string, reason: string) =>
  api.threads.release({ thread, force: true, ...(reason && { reason }) });
/** A choice that a blocked worker offers, as its question wants it. */
export const answerWith = (thread: string, to: string, choice: string) =>
  api.threads.reply({ thread, to, summary: choice, payload: { choice } });
/** What the last question offers, while nobody has answered it. */
export function openChoices({ thread, messages }: Opened): string[] {
  const last = messages.findLast(({ kind }) => kind === "question" || kind === "answer");
  return thread.status === "blocked" && last?.kind === "question" ? (choicesIn(last.payload) ?? []) : [];
}
export { isEndedStatus as isEnded };
