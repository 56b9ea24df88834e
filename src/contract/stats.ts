/** [O1] The state of a bus: counts of everything, and what needs attention. */
import * as v from "valibot";
import { dailyLimit, usage } from "./usage.ts";

/** How many of each list are shown, at most. */
export const statsLimit = 20;
/** Rates are for this period, until now. */
export const rateSeconds = 60;

/** Threads that have ended are counted by the hour for this long, until now. */
export const statsHours = 12;

export const stats = () =>
  v.strictObject({
    at: v.string(),
    agents: v.strictObject({ known: v.number(), live: v.number(), waiting: v.number() }),
    threads: v.strictObject({
      pending: v.number(),
      claimed: v.number(),
      inProgress: v.number(),
      blocked: v.number(),
    }),
    /** Of agents' inboxes; each is counted up to 1000. */
    mail: v.strictObject({
      waiting: v.number(),
      oldest: v.nullable(v.strictObject({ id: v.number(), agent: v.string(), createdAt: v.string() })),
      /** For names that nobody has used yet: no agent, pool or task has them, and no reader is stored. */
      unused: v.strictObject({ names: v.number(), waiting: v.number() }),
    }),
    deadLetters: v.number(),
    unreadEntries: v.number(),
    /** [A11] What all tasks have used since midnight (UTC), and what they may. */
    costs: v.strictObject({ today: usage(), limit: dailyLimit(), held: v.boolean() }),
    tasks: v.strictObject({ queued: v.number(), waiting: v.number(), running: v.number() }),
    /** In the last minute. */
    rates: v.strictObject({
      events: v.number(),
      sent: v.number(),
      claimed: v.number(),
      ended: v.number(),
      tasksFinished: v.number(),
    }),
    /** Threads that have ended, by hour (UTC); the last hour is not over yet. */
    hours: v.array(
      v.strictObject({ at: v.string(), done: v.number(), failed: v.number(), cancelled: v.number() }),
    ),
    /** [O1.5] A limit of retention may have deleted threads that ended in these hours. They are not counted. */
    hoursReduced: v.optional(v.literal(true)),
    /** Inboxes with mail, and agents or pools with threads to claim. */
    queues: v.array(
      v.strictObject({
        name: v.string(),
        mail: v.number(),
        pending: v.number(),
        oldestAt: v.nullable(v.string()),
        live: v.boolean(),
      }),
    ),
    /** The names that nobody has used yet, with the most mail first. */
    unused: v.array(v.strictObject({ name: v.string(), mail: v.number(), oldestAt: v.string() })),
    /** Agents that have an open wait now. */
    waiters: v.array(v.string()),
    /** The leases that expire soonest. */
    leases: v.array(
      v.strictObject({
        threadId: v.string(),
        subject: v.string(),
        agent: v.string(),
        expiresAt: v.string(),
        lapsed: v.boolean(),
      }),
    ),
    subAgents: v.array(
      v.strictObject({
        name: v.string(),
        parent: v.string(),
        startedAt: v.nullable(v.string()),
        /** [A11] Including the tasks below it; null if nothing was reported. */
        usageTotal: v.nullable(usage()),
        /** The last line of its transcript, if that is on this machine. */
        lastLine: v.nullable(v.string()),
      }),
    ),
  });
export type Stats = v.InferOutput<ReturnType<typeof stats>>;
