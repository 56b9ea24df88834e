/** Leases as they are stored, and the one check that every command of a holder passes through. */
import { InboxError } from "../contract/errors.ts";
import { idOf, numberOf } from "../contract/ids.ts";
import type { Lease } from "../contract/lease.ts";
import { ownCall, phrase } from "../contract/phrase.ts";
import type { Context, Procedure } from "../sql/procedure.ts";
import { known, one, run, together } from "../sql/procedure.ts";
import { alike, sql } from "../sql/sql.ts";
import { columnsOf, insert, overwriting, part, type RowOf } from "../sql/table.ts";
import { leases, lostLeases } from "../sql/tables.ts";
import { hasEnded, lockThread, notNow, ownThread, type ThreadRow } from "./thread.ts";

export type LeaseRow = RowOf<typeof leases>;
export const leaseColumns = columnsOf(leases);

export const isHeld = (lease: LeaseRow | undefined): lease is LeaseRow => lease?.released_at === null;
export const hasLapsed = (lease: Pick<LeaseRow, "expires_at">, now: string) => lease.expires_at <= now;

/** Without the token, which only the answer of the claim contains. */
export const shownLease = part(leases, "agent_id", "attempt", "claimed_at", "expires_at");
export type ShownLease = RowOf<typeof shownLease>;

export const leaseView = (lease: ShownLease, now: string): Lease => ({
  agentId: lease.agent_id,
  attempt: lease.attempt,
  claimedAt: lease.claimed_at,
  expiresAt: lease.expires_at,
  lapsed: hasLapsed(lease, now),
});

/** The token is derived from the id of the call, so the caller knows it even if the answer never arrived. */
export const tokenFrom = (handOver: string) => handOver.replaceAll("-", "").slice(0, 24);

export const newLeaseToken = () =>
  [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** The lease of a thread, held or released: a released one still has the attempt. */
export const findLease = (thread: number): Procedure<LeaseRow | undefined> =>
  one<LeaseRow>(alike(sql`select ${leaseColumns} from leases where leases.thread_id = ${thread}`));

/** A thread under its lock, with what holds from then on. */
export interface Locked {
  thread: ThreadRow;
  lease: LeaseRow | undefined;
  now: string;
  /** The attempt of its last lease, if only that is known: nobody holds the thread. */
  attempt?: number;
}

export function* lockWithLease(tx: Context, id: string): Procedure<Locked> {
  yield* ownThread(tx, id);
  return yield* lockOwned(tx, id);
}

/** The same for a thread that this procedure has already reserved in the transaction (`ownThread`). */
export function* lockOwned(tx: Context, id: string): Procedure<Locked> {
  const [thread, lease, now] = yield* together(lockThread(tx, id), findLease(numberOf(id)), tx.clock());
  return { thread, lease, now };
}

/** What the event of a claim says. */
export const claimedPayload = <A, E, F>(said: { attempt: A; expires_at: E; taken_from: F }) => {
  const { attempt, expires_at, taken_from } = said;
  return { attempt, expires_at, taken_from };
};

const overwritten = overwriting(leases);

export const saveLease = (lease: LeaseRow): Procedure<void> =>
  run(alike(sql`${insert(leases, lease)} ${overwritten}`));

/** Ends the lease that is held. Its other columns stay, so only the indexes of held leases are written. */
export const releaseLease = ({ thread_id }: LeaseRow, now: string): Procedure<void> =>
  run(alike(sql`update leases set released_at = ${now} where thread_id = ${thread_id}`));

/**
 * Stores a token that is no longer valid, and who took the thread (nobody: ""). So a late result of its holder is
 * recognised ([L4]), and a replaced token can be told from one that never existed.
 */
export function* recordLoss(lease: LeaseRow, takenBy: string, now: string): Procedure<void> {
  const { thread_id, lease_token, attempt, agent_id } = lease;
  const lost = { thread_id, lease_token, attempt, agent_id, lost_at: now, taken_by: takenBy };
  yield* run(sql`${insert(lostLeases, lost)} on conflict do nothing`);
}

/** Whether an agent has lost this thread: to another agent or, by this token, to a later claim of its own. */
function* hasLost(thread: number, agent: string, token: string | undefined): Procedure<boolean> {
  const which =
    token === undefined ? sql`lost_leases.taken_by <> ${agent}` : sql`lost_leases.lease_token = ${token}`;
  const lost = yield* one(sql`
    select 1 as lost from lost_leases
    where lost_leases.thread_id = ${thread} and lost_leases.agent_id = ${agent} and ${which} limit 1`);
  return lost !== undefined;
}

interface Holder {
  agent: string;
  leaseToken?: string;
}

/** The caller's lease, lapsed or not ([L3]), or why it has none. */
export function leaseOfHolder(
  command: string,
  locked: Locked,
  caller: Holder,
): Procedure<LeaseRow | InboxError> {
  const { lease } = locked;
  const last =
    lease?.agent_id === caller.agent && (caller.leaseToken ?? lease.lease_token) === lease.lease_token;
  if (isHeld(lease) && last) return known(lease);
  return notHolding(command, locked, caller, last);
}

function* notHolding(
  command: string,
  { thread, lease, now }: Locked,
  caller: Holder,
  last: boolean,
): Procedure<InboxError> {
  // The caller's own last token proves no more than the caller's name.
  const token = last ? undefined : caller.leaseToken;
  if (yield* hasLost(thread.thread_id, caller.agent, token)) return lost(thread, lease, caller.agent);
  if (hasEnded(thread)) return notNow(thread, command);
  if (!isHeld(lease)) return notNow(thread, command, `"${caller.agent}" does not hold it`);
  if (token !== undefined) return neverGiven(thread, lease, caller.agent, now);
  return conflict(idOf("thread", thread.thread_id), lease, now, "check the id");
}

/** [L5] Why a claim with this token is refused: only the agent that holds the thread by it may claim with it. */
export function* tokenRefused(
  thread: ThreadRow,
  lease: LeaseRow | undefined,
  { agent, leaseToken }: Required<Holder>,
  now: string,
): Procedure<InboxError | undefined> {
  const given = lease?.agent_id === agent && lease.lease_token === leaseToken;
  if (given && isHeld(lease)) return undefined;
  if (given || (yield* hasLost(thread.thread_id, agent, leaseToken))) return lost(thread, lease, agent);
  return neverGiven(thread, lease, agent, now);
}

function lost(thread: ThreadRow, lease: LeaseRow | undefined, agent: string): InboxError {
  const id = idOf("thread", thread.thread_id);
  const details = { thread_id: id, status: thread.status, holder: isHeld(lease) ? lease.agent_id : null };
  if (isHeld(lease) && lease.agent_id === agent)
    return new InboxError("lease_lost", `this token of "${agent}" for ${id} was replaced by a later claim`, {
      hint: "another process claimed under the same name; stop, or claim again without the token",
      details: { ...details, attempt: lease.attempt },
    });
  return new InboxError("lease_lost", lostMessage(id, agent, thread, lease), {
    ...(hasEnded(thread) && { hint: `stop working on it: the thread is ${thread.status}` }),
    details,
  });
}

/** A token that belongs to nobody, or to another agent. */
function neverGiven(thread: ThreadRow, lease: LeaseRow | undefined, agent: string, now: string): InboxError {
  const id = idOf("thread", thread.thread_id);
  const held = isHeld(lease) && !hasEnded(thread);
  const state = held ? `"${lease.agent_id}" holds it until ${lease.expires_at}` : `it is ${thread.status}`;
  const mine = held && lease.agent_id === agent;
  return new InboxError("lease_conflict", `this token was never given to "${agent}" for ${id}; ${state}`, {
    hint:
      mine || !held || hasLapsed(lease, now)
        ? "use the token from your own claim, or leave it out"
        : `wait, or ask "${lease.agent_id}" to release it`,
    details: {
      thread_id: id,
      holder: held ? lease.agent_id : null,
      expires_at: held ? lease.expires_at : null,
    },
  });
}

function lostMessage(id: string, agent: string, thread: ThreadRow, lease: LeaseRow | undefined): string {
  const now = isHeld(lease) ? `"${lease.agent_id}" holds it now` : `the thread is ${thread.status} now`;
  return `the lease of "${agent}" on ${id} has ended; ${now}`;
}

/** `first`: what to do before anything else. */
export function conflict(id: string, lease: LeaseRow, now: string, first?: string): InboxError {
  const lapsed = hasLapsed(lease, now);
  const before = first === undefined ? "" : `${first}; `;
  return new InboxError(
    "lease_conflict",
    lapsed
      ? `thread ${id} is held by "${lease.agent_id}", whose lease expired at ${lease.expires_at}`
      : `thread ${id} is held by "${lease.agent_id}" until ${lease.expires_at}`,
    {
      hint: lapsed
        ? phrase`${before}claim it first: ${ownCall("threads.claim", { thread: id })}`
        : `${before}wait, or ask "${lease.agent_id}" to release it`,
      details: { thread_id: id, holder: lease.agent_id, expires_at: lease.expires_at },
    },
  );
}

/**
 * The name of a call (`tx.own`). A call that is repeated while it runs finds what the first was granted: what neither has seen of
 * the other, the database refuses, because a token is held once (`leases_held`), and the engine runs it again.
 */
export const nameOfCall = (call: string) => `call:${call}`;
