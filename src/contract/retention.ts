/** [Y1] Retention: how long, and how many of each kind of finished data, the bus keeps. */
import * as v from "valibot";

/**
 * The kinds of data that can be deleted, each only once nobody needs it ([Y2]), in the order of deletion: what refers
 * to others is deleted first.
 */
export const retentionKinds = [
  "entries",
  "transcripts",
  "tasks",
  "threads",
  "mail",
  "topics",
  "dead-letters",
  "events",
] as const;
export type RetentionKind = (typeof retentionKinds)[number];

/** What each kind is, for help. */
export const retentionMeanings: Record<RetentionKind, string> = {
  entries: "entries that the person has read",
  transcripts: "files of tasks that have finished, on the host that has them",
  tasks: "tasks that have finished, with their threads",
  threads: "threads that have ended and belong to no task",
  mail: "acknowledged messages without a thread",
  topics: "messages of topics that every stored reader has read (the count applies to each topic)",
  "dead-letters": "dead letters",
  events: "events",
};

/** Why something is kept although it is over a limit. */
export const retentionReasons = [
  "uncollected",
  "unread",
  "entry",
  "lease",
  "open",
  "unanswered",
  "later",
  "unmerged",
  "elsewhere",
] as const;
export type RetentionReason = (typeof retentionReasons)[number];

/** One of each kind, and several. */
export const retentionNouns: Record<RetentionKind, readonly [string, string]> = {
  entries: ["entry", "entries"],
  transcripts: ["transcript", "transcripts"],
  tasks: ["task", "tasks"],
  threads: ["thread", "threads"],
  mail: ["acknowledged message", "acknowledged messages"],
  topics: ["message of a topic", "messages of topics"],
  "dead-letters": ["dead letter", "dead letters"],
  events: ["event", "events"],
};

/** For one kind. Null: no limit. If both are set, whatever exceeds either is deleted. */
export const retentionRule = () =>
  v.strictObject({
    kind: v.picklist(retentionKinds),
    days: v.nullable(v.number()),
    count: v.nullable(v.number()),
  });

export type RetentionRule = v.InferOutput<ReturnType<typeof retentionRule>>;

/** How many of a kind. */
export const retentionCount = () => v.strictObject({ kind: v.picklist(retentionKinds), count: v.number() });

/** How many of a kind are over its limit and were kept, and why: the first reason of each. */
export const retentionKept = () =>
  v.strictObject({
    kind: v.picklist(retentionKinds),
    count: v.number(),
    why: v.picklist(retentionReasons),
  });
export type RetentionKept = v.InferOutput<ReturnType<typeof retentionKept>>;
