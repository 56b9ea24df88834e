/**
 * [X14] How many open waits, streams and sessions each caller may have: counted by token or address, never by a name
 * in the request.
 */
import { InboxError } from "../../contract/errors.ts";

export interface Quota {
  all: number;
  /** For all tokens of one agent together. */
  perToken: number;
  /** For all callers without a token from one address. */
  perAddress: number;
}

/** The owner of an open call: the agent of its token, else its address. */
export interface Holder {
  agent?: string;
  address: string;
}

/** `what` names the things in an error: "open waits". */
export function openQuota(what: string, { all, perToken, perAddress }: Quota) {
  const held = new Map<string, number>();
  let total = 0;

  /** To be called with `free` once, when that call has ended. */
  function count(holder: Holder): void {
    const { agent, address } = holder;
    const [whose, limit] =
      agent === undefined ? [address, perAddress] : [`the token of "${agent}"`, perToken];
    const own = held.get(keyOf(holder)) ?? 0;
    if (own >= limit) throw new InboxError("limited", `${whose} has reached the limit of ${limit} ${what}`);
    if (total >= all) throw new InboxError("limited", `the hub has reached the limit of ${all} ${what}`);
    total++;
    held.set(keyOf(holder), own + 1);
  }

  function free(holder: Holder): void {
    total--;
    const left = held.get(keyOf(holder))! - 1;
    if (left) held.set(keyOf(holder), left);
    else held.delete(keyOf(holder));
  }

  return {
    total: () => total,
    count,
    free,
    /** Counts one more until the returned function is called. */
    take(holder: Holder): () => void {
      count(holder);
      let over = false;
      return () => {
        if (!over) free(holder);
        over = true;
      };
    },
  };
}

const keyOf = ({ agent, address }: Holder) => (agent === undefined ? `address ${address}` : `token ${agent}`);
