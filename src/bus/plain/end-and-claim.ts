/**
 * [L12] The plain case of a claim that ends the agent's last thread, in one statement: the parts of both. The claim is only
 * for callers whose thread was ended, and begins once that is written. If the end is plain and the claim is not, the
 * thread is ended, and the claim is left to its procedure.
 */
import type { Plain, PlainAnswer, PlainQuery } from "../../sql/plain.ts";
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

const query: PlainQuery = {
  columns: { ...endColumns, ...onlyClaim },
  locks: true,
  parts: () => fragment`${endParts(fragment`and ${isWanted}`)},
    ${claimParts(fragment`and (select count(*) from end_told where end_told.thread_id = caller.thread) = 1`)},
    claimed as materialized (${claimedRows()})
    select ended.*, (select row_to_json(claimed) from claimed where claimed.n_of_caller = ended.n_of_caller) as claimed
    from ended order by ended.n_of_caller`,
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
