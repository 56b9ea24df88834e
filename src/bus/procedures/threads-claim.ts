/** [L1]–[L7] Granting the lease of a thread: the named one, or the best candidate. */
import { idOf } from "../../contract/ids.ts";
import type { Message } from "../../contract/message.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure, Refused } from "../../sql/procedure.ts";
import { ending, known, one, together } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { namesOf, seen } from "../agent.ts";
import { failExhausted } from "../attempts-exhausted.ts";
import { type Best, candidates, lockBest, nextLapse } from "../candidates.ts";
import { latestEventOf, numbered } from "../event.ts";
import { expiryAfter } from "../expiry.ts";
import { refuseGivenUp } from "../given-up.ts";
import { messagesFor } from "../hand-over/collect.ts";
import { toldWithoutWork } from "../held-threads.ts";
import {
  claimedPayload,
  conflict,
  findLease,
  hasLapsed,
  isHeld,
  type LeaseRow,
  type Locked,
  leaseColumns,
  lockWithLease,
  nameOfCall,
  newLeaseToken,
  recordLoss,
  saveLease,
  tokenFrom,
  tokenRefused,
} from "../lease.ts";
import { allMessagesOf } from "../message.ts";
import { takenFromOthers } from "../sent-to.ts";
import {
  adopt,
  changeThread,
  creatorOf,
  findThread,
  hasEnded,
  lockFirstFree,
  notNow,
  type ThreadRow,
  threadView,
} from "../thread.ts";
import { type End, endThread } from "../thread-end.ts";

export type ClaimInput = Pick<
  ParsedOf<"threads.claim">,
  "agent" | "thread" | "leaseSeconds" | "leaseToken"
> & {
  /** The thread that the agent has finished, and its result ([L12]). */
  ends?: End;
  /** The id of the call, where its caller has made one. */
  handOver?: string;
  /** The id from which the token is derived: the id of the call, or one that was made for it. */
  call?: string;
  /** The call waits until there is something to claim. */
  wait?: boolean;
  /** The agent was recorded as live by this transaction. */
  isSeen?: boolean;
  /** [T11] The caller has the answer as soon as it is committed: its messages are collected with the claim. */
  collects?: boolean;
};
type Output = OutputOf<"threads.claim">;

export interface Granted {
  answer: Output;
  /** False if the holder claimed again while its lease was valid: that lease is not released with this call. */
  fresh: boolean;
}

/** Nothing to claim, as of an event. `tells`: what the agent may have forgotten, or mistyped ([L11], [M13]). */
export function* nothingFor(
  tx: Context,
  agent: string,
  { tells, joined }: { tells: boolean; joined?: boolean },
): Procedure<Granted> {
  const nextEventId = yield* tx.settled();
  const told = tells ? yield* toldWithoutWork(tx, agent, joined) : {};
  return { answer: { nextEventId, thread: null, lease: null, messages: [], ...told }, fresh: false };
}

export function threadsClaim(tx: Context, input: ClaimInput): Procedure<Granted | Refused> {
  if (input.ends) return endAndClaim(tx, input as Ending);
  return claimNow(tx, input);
}

type Ending = ClaimInput & { ends: End };

/** [L12] The first half of such a call. */
export function endFirst(
  tx: Context,
  { handOver, ends }: Ending,
): Procedure<OutputOf<"threads.done"> | Refused> {
  if (handOver === undefined) return endThread(tx, ends);
  return endUnlessGivenUp(tx, handOver, ends);
}

function* endUnlessGivenUp(
  tx: Context,
  call: string,
  ends: End,
): Procedure<OutputOf<"threads.done"> | Refused> {
  yield* refuseGivenUp(call);
  return yield* endThread(tx, ends);
}

/** [L12] If the end is refused, nothing is claimed. Repeating an end changes nothing, so a lost answer is found by repeating both. */
function* endAndClaim(tx: Context, input: Ending): Procedure<Granted | Refused> {
  const ended = yield* endFirst(tx.final ? { ...tx, final: false } : tx, input);
  if (!("thread" in ended)) return ended;
  // The end has taken the lock of its creator's channel. To lock the row of the agent after that, and not before, is a deadlock
  // with whoever does both in the usual order.
  const claimed = yield* claimNow(tx, { ...input, leaseToken: undefined, isSeen: !ended.already });
  return "answer" in claimed ? withEnded(claimed, ended) : claimed;
}

/** The thread that a claim has ended before. */
export type Ended = NonNullable<Output["ended"]>;

/** The answer says what was ended before. */
export const withEnded = (granted: Granted, { thread, message }: Ended): Granted => ({
  ...granted,
  answer: { ...granted.answer, ended: { thread, message } },
});

function* claimNow(tx: Context, input: ClaimInput): Procedure<Granted | Refused> {
  if (input.handOver !== undefined) {
    yield* tx.own(nameOfCall(input.handOver));
    const before = yield* grantedBefore(input.agent, input.handOver);
    if (before) return before;
  }
  if (input.thread !== undefined)
    return yield* claimThread(tx, yield* lockWithLease(tx, input.thread), input, undefined);
  // Most agents are in no pool: a thread for their own name is locked in the same step that reads their pools.
  const [names, own, now] = yield* together(namesOf(input.agent), lockBest(tx, [input.agent]), tx.clock());
  let best = names.length === 1 ? own : yield* lockBest(tx, names);
  for (;;) {
    const found = (best && (yield* adopted(tx, best, now))) ?? (yield* firstFree(tx, names));
    best = undefined;
    // A claim that waits is told when it stops, not each time that another agent was faster.
    if (!found) return yield* nothingFor(tx, input.agent, { tells: !input.wait });
    if (!isFree(found)) continue; // another agent was faster
    // A refusal means that this thread has just failed for good ([L7]): it is no candidate any more.
    const claimed = yield* claimThread(tx, found, input, names);
    if ("answer" in claimed) return claimed;
  }
}

/** The best candidate, if it has not changed since it was read: it cannot where there are no row locks. */
function adopted(tx: Context, best: Best, now: string): Procedure<Locked | undefined> {
  const { thread, attempt } = best;
  if (!tx.embedded || attempt === undefined) return adoptedAgain(tx, best, now);
  return known({ thread, lease: undefined, now, attempt });
}

function* adoptedAgain(tx: Context, best: Best, now: string): Procedure<Locked | undefined> {
  const thread = yield* adopt(tx, best.thread);
  if (!thread) return undefined;
  if (best.attempt !== undefined) return { thread, lease: undefined, now, attempt: best.attempt };
  const [lease, later] = yield* together(findLease(thread.thread_id), tx.clock());
  return { thread, lease, now: later };
}

/** The best candidate that no other transaction has locked; if all are locked, waits for the best one. */
function* firstFree(tx: Context, names: readonly string[]): Procedure<Locked | undefined> {
  const found = yield* candidates({ names, statuses: ["pending"], limit: tx.rivals }, yield* tx.clock());
  const ids = found.map(({ thread }) => thread.thread_id);
  if (!ids.length) return undefined;
  const thread = yield* lockFirstFree(tx, ids);
  if (!thread) return yield* lockWithLease(tx, idOf("thread", ids[0]!));
  const [lease, now] = yield* together(findLease(thread.thread_id), tx.clock());
  return { thread, lease, now };
}

/** [B4] What a call with this id was granted before: its answer may have been lost on the way. */
export function* grantedBefore(agent: string, call: string): Procedure<Granted | undefined> {
  yield* refuseGivenUp(call);
  const lease = yield* one<LeaseRow>(sql`
    select ${leaseColumns} from leases
    where leases.agent_id = ${agent} and leases.released_at is null and leases.lease_token = ${tokenFrom(call)}`);
  if (!lease) return undefined;
  return yield* grantedAs(yield* findThread(idOf("thread", lease.thread_id)), lease);
}

function* grantedAs(thread: ThreadRow, lease: LeaseRow): Procedure<Granted> {
  const nextEventId = yield* latestEventOf(lease.thread_id);
  const answer = answerWith(thread, lease, nextEventId, yield* allMessagesOf(lease.thread_id));
  return { answer: { ...answer, ...(yield* takenFromOthers(thread, lease.agent_id)) }, fresh: true };
}

export const answerWith = (
  thread: ThreadRow,
  lease: Pick<LeaseRow, "lease_token" | "expires_at" | "attempt">,
  nextEventId: number,
  messages: Message[],
): Output => ({
  nextEventId,
  thread: threadView(thread),
  lease: { token: lease.lease_token, expiresAt: lease.expires_at, attempt: lease.attempt },
  messages,
});

const isFree = ({ thread, lease, now }: Locked) =>
  !hasEnded(thread) && (!isHeld(lease) || hasLapsed(lease, now));

interface Claimable {
  names: string[];
  /** A claim would find something now. */
  now: boolean;
  /** If not: in how many milliseconds the next lease expires. */
  inMs?: number;
}

export function* claimable(tx: Context, agent: string): Procedure<Claimable> {
  const now = yield* tx.clock();
  const names = yield* namesOf(agent);
  const found = yield* candidates({ names, statuses: ["pending"], limit: 1 }, now);
  if (found.length) return { names, now: true };
  const at = yield* nextLapse(names, now);
  return { names, now: false, inMs: at === undefined ? undefined : Date.parse(at) - Date.parse(now) + 1 };
}

function* claimThread(
  tx: Context,
  { thread, lease, now, attempt: last = lease?.attempt ?? 1 }: Locked,
  input: ClaimInput,
  names: readonly string[] | undefined,
): Procedure<Granted | Refused> {
  if (hasEnded(thread)) throw notNow(thread, "claim");
  const held = isHeld(lease);
  const mine = held && lease.agent_id === input.agent;
  const { agent, leaseToken, call = input.handOver } = input;
  const wrong = leaseToken && (yield* tokenRefused(thread, lease, { agent, leaseToken }, now));
  if (wrong) throw wrong;
  // The same call was granted it before the thread was locked.
  if (mine && call !== undefined && lease.lease_token === tokenFrom(call))
    return yield* grantedAs(thread, lease);
  if (held && !mine && !hasLapsed(lease, now)) throw conflict(idOf("thread", thread.thread_id), lease, now);
  const lapsed = held && hasLapsed(lease, now);
  // [L5] A lease that has lapsed is not claimed again: even its holder gets a new one, like any other agent.
  const again = mine && !lapsed;
  const attempt = last + (lapsed ? 1 : 0);
  if (lapsed && attempt > thread.max_attempts) return yield* failExhausted(tx, thread, lease, now);
  if (held) yield* recordLoss(lease, input.agent, now);

  if (!input.isSeen) yield* seen(tx, input.agent, now);
  const granted: LeaseRow = {
    thread_id: thread.thread_id,
    agent_id: input.agent,
    // A claim by the holder of a valid lease is not undone with its call: its token is not derived from the id of the call.
    lease_token: call !== undefined && !again ? tokenFrom(call) : newLeaseToken(),
    attempt,
    claimed_at: now,
    expires_at: expiryAfter(now, input.leaseSeconds),
    released_at: null,
    lease_seconds: input.leaseSeconds,
  };
  yield* saveLease(granted);
  if (!tx.embedded) tx.learn(creatorOf(thread.thread_id), thread.created_by);
  const status = again ? thread.status : "claimed";
  const after = yield* changeThread(thread, { status, assigned_to: input.agent }, now);
  const taken_from = lapsed && !mine ? lease.agent_id : null;
  const payload = claimedPayload({ attempt, expires_at: granted.expires_at, taken_from });
  const claimed = { type: "thread.claimed", source: input.agent, thread: after, payload, now } as const;
  const whose = input.collects ? (names ?? (yield* namesOf(agent))) : undefined;
  const told = mine ? {} : yield* takenFromOthers(after, agent, names ?? whose);
  // A token that is not derived from the id of the call cannot be found again.
  const [nextEventId, messages] = yield* ending(
    again ? { ...tx, final: false } : tx,
    numbered(tx, claimed),
    messagesFor(tx, { agent, names: whose, thread: after, now }),
  );
  return { answer: { ...answerWith(after, granted, nextEventId, messages), ...told }, fresh: !again };
}
