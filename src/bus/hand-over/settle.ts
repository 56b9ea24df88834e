/**
 * [B4] Confirming or releasing an answer that was handed over. Both can be repeated: the answer to the first call may
 * have been lost.
 */
import { InboxError } from "../../contract/errors.ts";
import { idOf } from "../../contract/ids.ts";
import type { Receipt } from "../../contract/receipt.ts";
import type { Context, Procedure, Refused } from "../../sql/procedure.ts";
import { one } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { giveUp } from "../given-up.ts";
import { tokenFrom } from "../lease.ts";
import { entriesRead } from "../procedures/entries-read.ts";
import { threadsRelease } from "../procedures/threads-release.ts";
import { commitReader } from "../reader-position.ts";
import { collect } from "./collect.ts";
import { confirmMail, releaseMail } from "./hand.ts";

export interface Settled {
  /** For mail: the messages that belong to the reader now. */
  collected?: string[];
}

/** The answer was shown: what it contains is collected now. */
export function* confirmHandOver(tx: Context, receipt: Receipt): Procedure<Settled | Refused> {
  switch (receipt.of) {
    case "mail": {
      const confirmed = yield* confirmMail(tx, receipt);
      if (!("collected" in confirmed)) return confirmed;
      return { collected: confirmed.collected.map((id) => idOf("message", id)) };
    }
    case "thread":
      yield* collect(tx, receipt);
      return {};
    case "channel":
      yield* commitReader(tx, receipt);
      return {};
    case "entry":
      yield* entriesRead(tx, receipt);
      return {};
    case "call":
      throw new InboxError("invalid_input", "a call that got no answer can only be released, not confirmed");
  }
}

/** The answer could not be shown: undone as far as possible, as if the call had not been made. */
export function* releaseHandOver(tx: Context, receipt: Receipt): Procedure<Settled> {
  if (receipt.of === "channel" || receipt.of === "entry" || receipt.agent === undefined) return {};
  const { agent } = receipt;
  if (receipt.of === "thread") {
    yield* releaseBy(tx, agent, receipt.lease);
    if (receipt.id !== undefined) yield* releaseMail(tx, { agent, id: receipt.id, seen: true });
  } else if (receipt.of === "mail") yield* releaseMail(tx, { agent, id: receipt.id, seen: receipt.seen });
  else {
    // The caller that abandoned the call may have seen a part of its answer, or all of it.
    const mail = yield* releaseMail(tx, { agent, id: receipt.id, seen: true });
    const lease = yield* releaseBy(tx, agent, tokenFrom(receipt.id));
    if (!mail && !lease) yield* giveUp(receipt.id, yield* tx.clock());
  }
  return {};
}

/** The lease was granted to a caller that will never know: another agent may have it. Returns whether there was one. */
function* releaseBy(tx: Context, agent: string, leaseToken: string | undefined): Procedure<boolean> {
  if (leaseToken === undefined) return false;
  const lease = yield* one<{ thread_id: number }>(sql`
    select leases.thread_id from leases
    where leases.agent_id = ${agent} and leases.released_at is null and leases.lease_token = ${leaseToken}`);
  if (lease)
    yield* threadsRelease(tx, { agent, thread: idOf("thread", lease.thread_id), leaseToken, force: false });
  return lease !== undefined;
}
