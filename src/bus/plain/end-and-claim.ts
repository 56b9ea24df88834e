/**
 * [L12] The plain case of a claim that ends the agent's last thread, in one statement: the parts of both. The claim is only
 * for callers whose thread was ended, and begins once that is written. If the end is plain and the claim is not, the
 * thread is ended, and the claim is left to its procedure.
 */
import { inOrder, type Plain, type PlainAnswer, type PlainQuery } from "../../sql/plain.ts";
import type { Row, Work } from "../../sql/procedure.ts";
import { fragment } from "../../sql/sql.ts";
import { type Ended, type Granted, withEnded } from "../procedures/threads-claim.ts";
import type { End } from "../thread-end.ts";
import {
  type ClaimedRow,
  claimColumns,
  claimedRows,
  claimParts,
  claimValues,
  grantedBy,
  isWanted,
  type NamedClaim,
} from "./claim.ts";
import { askedBy, type EndedRow, endColumns, endedBy, endParts } from "./end.ts";

const { agent: _, ...onlyClaim } = claimColumns;

/** Both threads at once. */
const changed = fragment`
  update threads set status = now.status, latest_message_id = coalesce(now.message_id, threads.latest_message_id), updated_at = now.now
  from (select ended.thread_id, ended.outcome as status, ended.message_id, ended.now from ended
    union all select taken.thread_id, 'claimed', null, taken.now from taken) as now
  where threads.thread_id = now.thread_id`;

const query: PlainQuery = {
  columns: { ...endColumns, ...onlyClaim },
  locks: true,
  parts: (many) => fragment`${endParts(many, fragment`and ${isWanted}`)},
    ${claimParts(many, fragment`(select end_told.thread_id from end_told where end_told.thread_id = caller.thread) is not null`)},
    changed as (${changed}), claimed as materialized (${claimedRows()})
    select ended.*, (select row_to_json(claimed) from claimed where claimed.n_of_caller = ended.n_of_caller) as claimed
    from ended ${inOrder(many, fragment`ended.n_of_caller`)}`,
};

interface FoundRow extends EndedRow, Pick<ClaimedRow, "new_token"> {
  seconds: number;
  collects: number;
  call: string | null;
  claimed: (ClaimedRow & { n_of_caller: number }) | null;
}

export function plainEndAndClaim(
  { ends, ...claim }: NamedClaim & { ends: End },
  again: Work<Granted | Ended>,
  recall: (fact: string) => string | undefined,
): Plain<Granted | Ended> | undefined {
  const asked = askedBy(ends, recall);
  if (!asked) return undefined;
  const [, ...ofClaim] = claimValues(claim);
  return { ...asked, query, values: [...asked.values, ...ofClaim], answer: answerBy, again };
}

function answerBy(found: Row): PlainAnswer<Granted | Ended> {
  const { claimed, ...row } = found as unknown as FoundRow;
  const ended = endedBy(row);
  if (!claimed) return ended;
  const granted = grantedBy(claimed);
  return {
    value: withEnded(granted.value, ended.value),
    topics: [...ended.topics, ...granted.topics],
    learnt: granted.learnt,
  };
}
