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
  return {
    total: () => total,
    /** Counts one more until the returned function is called. */
    take({ agent, address }: Holder): () => void {
      const [key, whose, limit] =
        agent === undefined
          ? [`address ${address}`, address, perAddress]
          : [`token ${agent}`, `the token of "${agent}"`, perToken];
      const own = held.get(key) ?? 0;
      if (own >= limit) throw new InboxError("limited", `${whose} has reached the limit of ${limit} ${what}`);
      if (total >= all) throw new InboxError("limited", `the hub has reached the limit of ${all} ${what}`);
      total++;
      held.set(key, own + 1);
      let over = false;
      return () => {
        if (over) return;
        over = true;
        total--;
        const left = held.get(key)! - 1;
        if (left) held.set(key, left);
        else held.delete(key);
      };
    },
  };
}
