/**
 * The thread rules once more, as a plain object in memory: what a send, a claim or a lapse does to a status, a
 * holder and an attempt. It is the shortest thing that can be right; the bus is compared with it.
 */
import type { ErrorCode } from "../../src/contract/errors.ts";
import type { Priority, Status } from "../../src/contract/thread.ts";

export interface ModelThread {
  status: Status;
  creator: string;
  assignee: string;
  addressee: string;
  priority: Priority;
  maxAttempts: number;
  holder?: string;
  expires: number;
  attempt: number;
  lost: Set<string>;
  messages: number;
  result?: string;
}

export type Outcome = "ok" | "nothing" | ErrorCode;

export class Oracle {
  now = 0;
  threads: ModelThread[] = [];
  pools = new Map<string, Set<string>>();

  private ended = (t: ModelThread) => ["done", "failed", "cancelled"].includes(t.status);
  private lapsed = (t: ModelThread) => t.holder !== undefined && t.expires <= this.now;
  private names = (agent: string) => [
    agent,
    ...[...this.pools].filter(([, members]) => members.has(agent)).map(([pool]) => pool),
  ];

  send(from: string, to: string, priority: Priority, maxAttempts: number): Outcome {
    const fresh = {
      status: "pending" as const,
      expires: 0,
      attempt: 0,
      lost: new Set<string>(),
      messages: 1,
    };
    this.threads.push({ ...fresh, creator: from, assignee: to, addressee: to, priority, maxAttempts });
    return "ok";
  }

  claim(agent: string, n: number, seconds: number): Outcome {
    const t = this.threads[n];
    if (!t) return "not_found";
    if (this.ended(t)) return "invalid_state";
    const mine = t.holder === agent;
    if (t.holder !== undefined && !mine && !this.lapsed(t)) return "lease_conflict";
    const lapsed = this.lapsed(t);
    if (lapsed && t.attempt + 1 > t.maxAttempts) {
      t.lost.add(t.holder!);
      Object.assign(t, { status: "failed", holder: undefined, messages: t.messages + 1 });
      return "invalid_state";
    }
    if (lapsed && !mine) t.lost.add(t.holder!);
    if (!(mine && !lapsed)) t.status = "claimed";
    t.attempt = Math.max(1, t.attempt + (lapsed ? 1 : 0));
    Object.assign(t, { holder: agent, assignee: agent, expires: this.now + seconds * 1000 });
    return "ok";
  }

  /** What fetch lists, best first, as indexes. */
  candidates(agent: string, statuses: readonly Status[]): number[] {
    const names = this.names(agent);
    const rank = { high: 0, normal: 1, low: 2 };
    return this.threads
      .map((t, n) => ({ t, n }))
      .filter(({ t }) =>
        this.lapsed(t)
          ? names.includes(t.assignee) || names.includes(t.addressee)
          : names.includes(t.assignee) && statuses.includes(t.status),
      )
      .sort((a, b) => rank[a.t.priority] - rank[b.t.priority] || a.n - b.n)
      .map(({ n }) => n);
  }

  claimBest(agent: string, seconds: number): Outcome {
    for (;;) {
      const [best] = this.candidates(agent, ["pending"]);
      if (best === undefined) return "nothing";
      if (this.claim(agent, best, seconds) === "ok") return "ok";
    }
  }

  private heldBy(agent: string, t: ModelThread | undefined): Outcome {
    if (!t) return "not_found";
    if (t.holder === agent) return "ok";
    if (t.lost.has(agent)) return "lease_lost";
    return t.holder === undefined ? "invalid_state" : "lease_conflict";
  }

  renew(agent: string, n: number, seconds: number): Outcome {
    const outcome = this.heldBy(agent, this.threads[n]);
    if (outcome === "ok") this.threads[n]!.expires = this.now + seconds * 1000;
    return outcome;
  }

  update(agent: string, n: number, status: "in_progress" | "blocked"): Outcome {
    const outcome = this.heldBy(agent, this.threads[n]);
    if (outcome === "ok")
      Object.assign(this.threads[n]!, { status, messages: this.threads[n]!.messages + 1 });
    return outcome;
  }

  release(agent: string, n: number): Outcome {
    const t = this.threads[n];
    const outcome = this.heldBy(agent, t);
    if (outcome === "ok") Object.assign(t!, { status: "pending", holder: undefined, assignee: t!.addressee });
    return outcome;
  }

  finish(agent: string, n: number, status: "done" | "failed", words: string): Outcome {
    const t = this.threads[n];
    const content = `${agent} ${status} ${words}`;
    if (t?.status === status && t.result === content) return "ok";
    const outcome = this.heldBy(agent, t);
    if (outcome === "ok")
      Object.assign(t!, { status, holder: undefined, result: content, messages: t!.messages + 1 });
    return outcome;
  }

  cancel(agent: string, n: number): Outcome {
    const t = this.threads[n];
    if (!t) return "not_found";
    if (this.ended(t)) return "invalid_state";
    // The holder and the creator are told, except the one that cancels it.
    const told = new Set([t.holder ?? t.assignee, t.creator]);
    told.delete(agent);
    const messages = t.messages + Math.max(1, told.size);
    if (t.holder !== undefined && t.holder !== agent) t.lost.add(t.holder);
    Object.assign(t, { status: "cancelled", holder: undefined, messages });
    return "ok";
  }

  join(agent: string, pool: string): Outcome {
    this.pools.set(pool, (this.pools.get(pool) ?? new Set()).add(agent));
    return "ok";
  }

  leave(agent: string, pool: string): Outcome {
    this.pools.get(pool)?.delete(agent);
    return "ok";
  }
}
