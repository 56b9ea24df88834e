/** [L6] Extends the holder's lease, counted from now; [L9] automatically while its holder waits for an answer. */

import { InboxError } from "../../contract/errors.ts";
import { idOf } from "../../contract/ids.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { seen } from "../agent.ts";
import { append } from "../event.ts";
import { expiryAfter } from "../expiry.ts";
import {
  findLease,
  isHeld,
  type LeaseRow,
  leaseOfHolder,
  leaseView,
  lockWithLease,
  saveLease,
} from "../lease.ts";
import { lockThread, type ThreadRow, threadView } from "../thread.ts";

export function* threadsRenew(
  tx: Context,
  input: ParsedOf<"threads.renew">,
): Procedure<OutputOf<"threads.renew">> {
  const locked = yield* lockWithLease(tx, input.thread);
  const lease = yield* leaseOfHolder("renew", locked, input);
  if (lease instanceof InboxError) throw lease;
  const { thread, now } = locked;
  yield* seen(tx, input.agent, now);
  const renewed = yield* extend(tx, thread, { ...lease, lease_seconds: input.leaseSeconds }, now);
  return { thread: threadView(thread), lease: leaseView(renewed, now) };
}

function* extend(tx: Context, thread: ThreadRow, lease: LeaseRow, now: string): Procedure<LeaseRow> {
  const renewed = { ...lease, expires_at: expiryAfter(now, lease.lease_seconds) };
  yield* saveLease(renewed);
  const payload = { attempt: renewed.attempt, expires_at: renewed.expires_at };
  yield* append(tx, { type: "lease.renewed", source: lease.agent_id, thread, payload, now });
  return renewed;
}

/** A holder that waits. */
interface Waiting {
  thread: number;
  agent: string;
}

/** Renewed when a third of it has passed: the wait may end at any moment, and its holder needs time to continue. */
const dueInMs = (lease: LeaseRow, now: string) =>
  Math.max(0, Date.parse(lease.expires_at) - Date.parse(now) - (lease.lease_seconds * 1000 * 2) / 3);

const isHolder = (lease: LeaseRow | undefined, agent: string): lease is LeaseRow =>
  isHeld(lease) && lease.agent_id === agent;

/** The number of milliseconds after which the waiter's lease must be renewed; undefined if it holds none. */
export function* renewalDueInMs(tx: Context, { thread, agent }: Waiting): Procedure<number | undefined> {
  const lease = yield* findLease(thread);
  return isHolder(lease, agent) ? dueInMs(lease, yield* tx.clock()) : undefined;
}

/** The same after renewing it, if that was still due. */
export function* renewWaiting(
  tx: Context,
  { thread: number, agent }: Waiting,
): Procedure<number | undefined> {
  const thread = yield* lockThread(tx, idOf("thread", number));
  const now = yield* tx.clock();
  const lease = yield* findLease(number);
  if (!isHolder(lease, agent)) return undefined;
  return dueInMs(dueInMs(lease, now) > 0 ? lease : yield* extend(tx, thread, lease, now), now);
}
