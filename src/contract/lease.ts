/** A lease: one agent's exclusive, time-bounded, fenced claim on one thread. */
import * as v from "valibot";
import { integer, text } from "./fields.ts";

export const leaseSecondsDefault = 900;

export const leaseSeconds = () =>
  v.optional(
    integer("how long the lease holds without a renewal (default: 900)", { min: 1, max: 7 * 24 * 3600 }),
    leaseSecondsDefault,
  );

export const leaseToken = () =>
  v.optional(text("the token of your claim: makes the check exact", { limit: 64, value: "TOKEN" }));

/** What everybody may see of a lease. */
export const lease = () =>
  v.strictObject({
    agentId: v.string(),
    attempt: v.number(),
    claimedAt: v.string(),
    expiresAt: v.string(),
    lapsed: v.boolean(),
  });

/** What only the claim's own answer contains. */
export const grantedLease = () =>
  v.strictObject({ token: v.string(), expiresAt: v.string(), attempt: v.number() });

export type Lease = v.InferOutput<ReturnType<typeof lease>>;
