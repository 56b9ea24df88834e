/**
 * [X1] [X4] Who may come in at all. A page of another site can make a browser send requests to this machine, and a name
 * can be made to point here: so the Host must be ours, and an Origin, where there is one, too.
 */
import { InboxError } from "../../contract/errors.ts";

export interface Limits {
  /** Requests a second, for each caller. */
  rate: number;
  /** Open waits, of all and of one agent. */
  waiters: number;
  waitersPerAgent: number;
  /** Entries whose documents are being watched. */
  watchedEntries: number;
}

export const usualLimits: Limits = {
  rate: 50_000,
  waiters: 20_000,
  waitersPerAgent: 1000,
  watchedEntries: 256,
};

/** `link`: another site may lead here. `anybody`: the same for everyone, and nothing of anyone's in it. */
export type Visit = "link" | "anybody";

const loopback = new Set(["localhost", "127.0.0.1", "[::1]", "::1"]);
export const isLoopback = (host: string) => loopback.has(host) || /^127\.\d+\.\d+\.\d+$/.test(host);

export type Guard = ReturnType<typeof makeGuard>;

export function makeGuard(limits: Limits, hosts: readonly string[]) {
  const allowed = new Set(hosts.map((host) => host.toLowerCase()));
  let lastOurs: string | undefined; // mostly one client speaks for a while
  const ours = (host: string) => {
    if (host === lastOurs) return true;
    const name = host.toLowerCase().replace(/:\d+$/, "");
    const known = isLoopback(name) || allowed.has(name);
    if (known) lastOurs = host;
    return known;
  };
  const counts = new Map<string, number>();
  const waiters = new Map<string, number>();
  let second = 0;
  let waiting = 0;

  function sameSite(request: Request, visit?: Visit): void {
    const origin = request.headers.get("origin");
    if (origin !== null && !ours(hostOf(origin)))
      throw refuse(`pages of ${origin} may not speak to this hub`);
    // An image of another site's page comes without an Origin, and would collect mail; a link to our page may be followed.
    const follows = visit === "link" && request.headers.get("sec-fetch-mode") === "navigate";
    if (request.headers.get("sec-fetch-site") === "cross-site" && !follows)
      throw refuse("pages of other sites may not speak to this hub");
  }

  return {
    waiting: () => waiting,

    admit(request: Request, caller: string, visit?: Visit): void {
      const host = request.headers.get("host") ?? "";
      if (!ours(host)) throw refuse(`the Host "${host}" is not this hub's`);
      if (visit !== "anybody") sameSite(request, visit);
      const now = Math.floor(performance.now() / 1000);
      if (now !== second) {
        second = now;
        counts.clear();
      }
      const count = (counts.get(caller) ?? 0) + 1;
      counts.set(caller, count);
      if (count > limits.rate) throw new InboxError("limited", `more than ${limits.rate} requests a second`);
    },

    /** Counts a wait until the answer is called. Where nobody in particular waits, only the number of all counts. */
    wait(agent: string | undefined): () => void {
      if (waiting >= limits.waiters)
        throw new InboxError("limited", `more than ${limits.waiters} open waits`);
      const own = agent === undefined ? 0 : (waiters.get(agent) ?? 0);
      if (agent !== undefined && own >= limits.waitersPerAgent)
        throw new InboxError("limited", `"${agent}" has more than ${limits.waitersPerAgent} open waits`);
      waiting++;
      if (agent !== undefined) waiters.set(agent, own + 1);
      let over = false;
      return () => {
        if (over) return;
        over = true;
        waiting--;
        if (agent === undefined) return;
        const left = waiters.get(agent)! - 1;
        if (left) waiters.set(agent, left);
        else waiters.delete(agent);
      };
    },
  };
}

/** [X4] A stream counts as a wait for as long as it is open: it says itself when it is over, unless it never began. */
export function streaming(
  guard: Guard,
  agent: string | undefined,
  begin: (over: () => void) => Response,
): Response {
  const over = guard.wait(agent);
  try {
    return begin(over);
  } catch (error) {
    over();
    throw error;
  }
}

const refuse = (message: string) =>
  new InboxError("not_allowed", message, {
    hint: "call it as localhost, or start it with --allow-host NAME",
  });

function hostOf(origin: string): string {
  try {
    return new URL(origin).host;
  } catch {
    return "";
  }
}
