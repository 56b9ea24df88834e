/**
 * [B4] Calls that their caller has abandoned before they were answered. The notice of that can overtake the call
 * itself, on another connection or at another hub. So it is stored, and the call then hands over nothing.
 */
import { InboxError } from "../contract/errors.ts";
import type { Procedure } from "../sql/procedure.ts";
import { one, run } from "../sql/procedure.ts";
import { sql } from "../sql/sql.ts";
import { insert } from "../sql/table.ts";
import { givenUpCalls } from "../sql/tables.ts";

/** Longer than any call takes to arrive. */
const keptMs = 60 * 60_000;

export function* giveUp(call: string, now: string): Procedure<void> {
  const old = new Date(Date.parse(now) - keptMs).toISOString();
  yield* run(sql`delete from given_up_calls where given_up_at < ${old}`);
  yield* run(sql`${insert(givenUpCalls, { call_id: call, given_up_at: now })} on conflict do nothing`);
}

export function* refuseGivenUp(call: string): Procedure<void> {
  if (yield* one(sql`select 1 as given_up from given_up_calls where given_up_calls.call_id = ${call}`))
    throw new InboxError("conflict", "the caller abandoned this call before it was answered", {
      hint: "make a new call with a new id",
    });
}
