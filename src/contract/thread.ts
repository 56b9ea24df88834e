/** A thread: the durable container of one work conversation. */
import * as v from "valibot";
import { choices } from "./fields.ts";

export const statuses = [
  "pending",
  "claimed",
  "in_progress",
  "blocked",
  "done",
  "failed",
  "cancelled",
] as const;
export type Status = (typeof statuses)[number];
export const endedStatuses = ["done", "failed", "cancelled"] as const satisfies readonly Status[];
export type EndedStatus = (typeof endedStatuses)[number];
export const isEndedStatus = (status: Status): status is EndedStatus =>
  (endedStatuses as readonly Status[]).includes(status);
export const activeStatuses: readonly Status[] = ["claimed", "in_progress", "blocked"];
export const openStatuses: readonly Status[] = ["pending", ...activeStatuses];

export const priorities = ["low", "normal", "high"] as const;
export type Priority = (typeof priorities)[number];

export const maxAttemptsDefault = 5;

export const statusFilter = (help = "only threads in these states") => choices(statuses, help, "STATUS,…");

export const thread = () =>
  v.strictObject({
    threadId: v.string(),
    runId: v.string(),
    taskId: v.string(),
    subject: v.string(),
    createdBy: v.string(),
    assignedTo: v.string(),
    status: v.picklist(statuses),
    priority: v.picklist(priorities),
    maxAttempts: v.number(),
    latestMessageId: v.nullable(v.string()),
    createdAt: v.string(),
    updatedAt: v.string(),
  });

export type Thread = v.InferOutput<ReturnType<typeof thread>>;

/** The commands that a status allows ([T3]); error messages are built from it. */
export const allowedNow: Record<Status, readonly string[]> = {
  pending: ["claim", "reassign", "cancel"],
  claimed: ["renew", "update", "done", "fail", "release", "reassign", "cancel"],
  in_progress: ["renew", "update", "done", "fail", "release", "reassign", "cancel"],
  blocked: ["wait-reply", "reply", "renew", "update", "done", "fail", "release", "reassign", "cancel"],
  done: ["show"],
  failed: ["show"],
  cancelled: ["show"],
};
