/** [Y5] Quotas: how much one agent may write, and have open, before it is refused. */
import * as v from "valibot";

/** Null: no limit. */
export const quota = () =>
  v.strictObject({
    /** Null: for all agents without a quota of their own. */
    name: v.nullable(v.string()),
    messagesPerMinute: v.nullable(v.number()),
    bytesPerDay: v.nullable(v.number()),
    openThreads: v.nullable(v.number()),
    subAgents: v.nullable(v.number()),
  });

export type Quota = v.InferOutput<ReturnType<typeof quota>>;
export type Limits = Omit<Quota, "name">;
