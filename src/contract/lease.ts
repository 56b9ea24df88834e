/** A lease: one agent's exclusive, time-bounded, fenced claim on one thread. */
import * as v from "valibot";
import { described, integer } from "./fields.ts";
import { statuses } from "./thread.ts";

export const leaseSecondsDefault = 900;

export const leaseSeconds = () =>
  v.optional(
    integer("the lease expires after N seconds unless renewed (default: 900)", {
      min: 1,
      max: 7 * 24 * 3600,
    }),
    leaseSecondsDefault,
  );

/** The form of a lease token; any other text is not one. */
export const leaseToken = () =>
  v.optional(
    described(
      v.pipe(
        v.string("must be text"),
        v.regex(/^[0-9a-f]{24}$/, "must be the 24 hexadecimal digits that claim returned"),
      ),
      {
        type: "text",
        value: "TOKEN",
        help: "the token your claim returned; the call is refused if another process has claimed the thread since",
      },
    ),
  );

/** The fields of a lease that everybody may see. */
export const lease = () =>
  v.strictObject({
    agentId: v.string(),
    attempt: v.number(),
    claimedAt: v.string(),
    expiresAt: v.string(),
    lapsed: v.boolean(),
  });

/** Only in the answer of the claim itself. */
export const grantedLease = () =>
  v.strictObject({ token: v.string(), expiresAt: v.string(), attempt: v.number() });

/** The maximum number of threads in `held`. */
export const heldLimit = 20;

/** A thread that the caller holds, in an answer that found nothing else for it. */
const heldThread = () =>
  v.strictObject({
    threadId: v.string(),
    subject: v.string(),
    status: v.picklist(statuses),
    expiresAt: v.string(),
  });

export const held = () => v.optional(v.array(heldThread()));

export type HeldThread = v.InferOutput<ReturnType<typeof heldThread>>;
export type Lease = v.InferOutput<ReturnType<typeof lease>>;
