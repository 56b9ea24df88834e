/** The tables of limits (what is kept, what an agent may write, what a day may cost) and of the audit trail. Declared as those in tables.ts, which hands them on. */
import type { AuditAction, Surface } from "../contract/question.ts";
import type { RetentionKind } from "../contract/retention.ts";
import { amounts } from "./amounts.ts";
import { integer, serial, table, text } from "./table.ts";

/** [Y1] The retention limits of each kind. Nothing is deleted of a kind without a row, or without both limits. */
export const retention = table("retention", ["kind"], () => ({
  kind: text<RetentionKind>(),
  max_age_seconds: integer().orNull(),
  max_count: integer().orNull(),
  /** Of events: the number of the newest deleted event; all before it are deleted too. */
  pruned_to: integer().nullAtFirst(),
}));

/** [M7] Which messages of a channel were deleted. */
export const pruned = table("pruned", ["channel", "from_id"], () => ({
  channel: text(),
  from_id: integer(),
  to_id: integer(),
  /** The newest of them that was not acked; 0 if all were. */
  unacked_to: integer().default(0),
}));

/** [Y5] The quotas of one agent; those of "*" apply to all agents without quotas of their own. */
export const quotas = table("quotas", ["agent_id"], () => ({
  agent_id: text(),
  messages_per_minute: integer().orNull(),
  bytes_per_day: integer().orNull(),
  open_threads: integer().orNull(),
  sub_agents: integer().orNull(),
}));

/** What an agent has written in the minute and on the day (UTC) of its last counted write. */
export const quotaUsage = table("quota_usage", ["agent_id"], () => ({
  agent_id: text(),
  minute: text(),
  messages: integer(),
  day: text(),
  bytes: integer(),
}));

/** [A7] Questions, and who asked and answered them. Rows are only added. */
export const audit = table("audit", ["audit_id"], () => ({
  audit_id: serial(),
  at: text(),
  action: text<AuditAction>(),
  /** The correlation of the question. */
  question: text(),
  agent_id: text(),
  to_agent: text().orNull(),
  choice: text().orNull(),
  text: text(),
  surface: text<Surface>(),
  verified: integer(),
  task: text().orNull(),
  task_number: integer().orNull(),
}));

/** [A11] What all tasks together have used on a day (UTC). It stays when retention deletes them. */
export const dailyUsage = table("daily_usage", ["day"], () => ({ day: text(), ...amounts() }));

/** [A11] What a day may cost; one row, "day". */
export const usageLimits = table("usage_limits", ["period"], () => ({
  period: text(),
  tokens: integer().orNull(),
  micro_usd: integer().orNull(),
}));
