/** [B4] What becomes of an answer that was handed over. Each word may be said twice: the answer to the first may have been lost. */
import { InboxError } from "../../contract/errors.ts";
import { idOf } from "../../contract/ids.ts";
import type { Receipt } from "../../contract/receipt.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { one } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { tokenFrom } from "../lease.ts";
import { collect } from "./collect.ts";
import { entryRead } from "./entry-state.ts";
import { confirm, giveBack } from "./hand.ts";
import { commitReader } from "./msg-read.ts";
import { release } from "./release.ts";

/** The answer was shown: what it contains is collected now. */
export function* arrived(tx: Context, receipt: Receipt): Procedure<void> {
  switch (receipt.of) {
    case "mail":
      return yield* confirm(tx, receipt);
    case "thread":
      return yield* collect(tx, receipt);
    case "channel":
      return yield* commitReader(tx, receipt);
    case "entry":
      yield* entryRead(tx, receipt);
      return;
    case "call":
      throw new InboxError("invalid_input", "an answer that never came cannot be confirmed");
  }
}

/** The answer could not be shown: as if the call had not been made, as far as that is possible. */
export function* returned(tx: Context, receipt: Receipt): Procedure<void> {
  if (receipt.of === "channel" || receipt.of === "entry" || receipt.agent === undefined) return;
  const { agent } = receipt;
  if (receipt.of === "thread") return yield* releaseBy(tx, agent, receipt.lease);
  yield* giveBack(tx, { agent, id: receipt.id });
  if (receipt.of === "call") yield* releaseBy(tx, agent, tokenFrom(receipt.id));
}

/** The lease was granted to somebody who will never know: let another have it. */
function* releaseBy(tx: Context, agent: string, leaseToken: string | undefined): Procedure<void> {
  if (leaseToken === undefined) return;
  const lease = yield* one<{ thread_id: number }>(sql`
    select leases.thread_id from leases
    where leases.agent_id = ${agent} and leases.released_at is null and leases.lease_token = ${leaseToken}`);
  if (lease) yield* release(tx, { agent, thread: idOf("thread", lease.thread_id), leaseToken, force: false });
}
