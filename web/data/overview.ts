/** The team at this moment: who works on what, who waits for whom, and what was finished in the last hours. */
import type { OutputOf } from "../../src/contract/operations/index.ts";
import { activeStatuses } from "../../src/contract/thread.ts";
import { api } from "./api.ts";
import { store } from "./store.ts";

export type Stats = OutputOf<"stats.show">;
type Listed = OutputOf<"threads.list">;
export type Thread = Listed["threads"][number];

export interface Overview {
  stats: Stats;
  /** Those that somebody holds, newest first. */
  threads: readonly Thread[];
  leases: ReadonlyMap<string, NonNullable<Listed["leases"]>[number]>;
  /** There are more than these. */
  hasMore: boolean;
}

/** However many there are, no more are asked for: nobody could see them. */
const threadLimit = 200;

/** Two requests of a bounded size, at most one pair a second. */
export const overview = store<Overview>({
  async fetch() {
    const [stats, { threads, leases = [], hasMore }] = await Promise.all([
      api.stats.show({}),
      api.threads.list({ status: [...activeStatuses], leases: true, limit: threadLimit }),
    ]);
    return { stats, threads, leases: new Map(leases.map((lease) => [lease.threadId, lease])), hasMore };
  },
  changedBy: ({ eventType }) => /^(thread|task|message|mail|entry|agent)/.test(eventType),
  everyMs: 1000,
});
