/**
 * What `inbox migrate` copies, the same on every engine, in the order in which tables can be filled: referenced
 * tables come first. Events come last: every change appends one, so a comparison in this order notices a change that
 * was made meanwhile, and a copy that has the newest event has all the rest. Not copied are `bus`, which identifies
 * this bus, what concerns running processes only (`presence`, `supervision`, `given_up_calls`), and what is derived
 * from the rest (`search_words`, `search_parts`, `search_progress`).
 */
import type { Procedure } from "../sql/procedure.ts";
import type { Table } from "../sql/table.ts";
import * as all from "../sql/tables.ts";
import type { Engine } from "./engine.ts";

export const tables: readonly Table[] = [
  all.threads,
  all.messages,
  all.artifacts,
  all.leases,
  all.lostLeases,
  all.threadReads,
  all.agents,
  all.pools,
  all.poolMembers,
  all.readers,
  all.pruned,
  all.idempotencyKeys,
  all.tokens,
  all.workspaces,
  all.entries,
  all.mutes,
  all.seenDocuments,
  all.notificationKeys,
  all.notificationSubscriptions,
  all.tasks,
  all.taskDependencies,
  all.worktrees,
  all.taskUsage,
  all.audit,
  all.queues,
  all.erasedEntries,
  all.outbox,
  all.retention,
  all.quotas,
  all.quotaUsage,
  all.dailyUsage,
  all.usageLimits,
  all.events,
];

/** The last number that was given in each numbered table. */
export type Numbers = Record<string, number>;

/** What copying a bus needs from an engine in addition to its port. */
export interface Copying {
  /** The same for two locations only if they are the same bus. */
  place(location: string, engine: Engine): Promise<string>;
  numbers(): Procedure<Numbers>;
  /** From now on only greater numbers are used. Never lowers one. */
  raise(numbers: Numbers): Procedure<void>;
}

/** The address of the hub that supervises, or supervised last. */
export const newestHub =
  "select hub_url from supervision where hub_url is not null order by leased_until desc limit 1";
