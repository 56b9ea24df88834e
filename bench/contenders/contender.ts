/** What takes part in the comparison of engines: each contender is a process of its own (children/contender.ts) with so many loops. */

/** One durable call of one client, answered after its commit. What takes throws where there is nothing to take. */
export type Call = (client: number) => Promise<unknown>;

export interface Contender {
  /** By the name of what is done: "message", "thread", "claim" and so on. */
  calls: Record<string, Call>;
  /** Whatever drives itself instead of being called: tells each time a worker has gone round. */
  loops?: Record<string, (clients: number, tell: (roundMs: number) => void) => Promise<() => Promise<void>>>;
  /** Before it is measured: makes sure that there is enough to take, so much for all clients together. */
  prepare?(work: string, clients: number, count: number): Promise<void>;
}

export const mostClients = 64;
export const text = "x".repeat(200);

/** As many connections as each of the libraries opens unless told. */
export const connections = 10;

/** How much of each stock is left. */
export function shelf() {
  const counts = new Map<string, number>();
  const left = (name: string) => counts.get(name) ?? 0;
  const add = (name: string, count: number) => void counts.set(name, left(name) + count);
  return {
    left,
    add,
    taken: (name: string) => add(name, -1),
    /** Brings one up to a number. */
    async refill(name: string, count: number, bring: (missing: number) => Promise<unknown>): Promise<void> {
      const missing = count - left(name);
      if (missing <= 0) return;
      await bring(missing);
      add(name, missing);
    },
  };
}
