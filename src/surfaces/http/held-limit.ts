/** [X14] How much of something each may hold at a time: counted by token or address, never by a name that is only said. */
import { InboxError } from "../../contract/errors.ts";

export interface Quota {
  all: number;
  /** Of all that the tokens of one agent hold. */
  perToken: number;
  /** Of all who show no token and come from one address. */
  perAddress: number;
}

/** Who holds something: whom its token speaks for, else where it comes from. */
export interface Holder {
  agent?: string;
  address: string;
}

/** `what` names the things in a refusal: "open waits". */
export function openQuota(what: string, { all, perToken, perAddress }: Quota) {
  const held = new Map<string, number>();
  let total = 0;
  return {
    total: () => total,
    /** Counts one more until the answer is called. */
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
