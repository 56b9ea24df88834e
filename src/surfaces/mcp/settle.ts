/**
 * [B4] Answers that collect, over MCP. Nobody tells a server that an answer was read. A client that cancels or goes away
 * has not read it, even if it was written; one that calls again has; and one that is silent for a while is taken to have.
 */
import type { Handed } from "../../inbox.ts";

const settleMs = 5000;

interface Pending {
  handed: Handed<unknown>;
  timer: Timer;
}

export function openSettling() {
  const pending = new Map<string | number, Pending>();
  const working = new Set<Promise<void>>();

  function settle(id: string | number, taken: boolean): void {
    const found = pending.get(id);
    if (!found) return;
    pending.delete(id);
    clearTimeout(found.timer);
    // What fails here is delivered again after its deadline; there is nobody left to tell.
    const work = Promise.resolve(taken ? found.handed.confirm?.() : found.handed.giveBack?.()).catch(
      () => {},
    );
    working.add(work);
    void work.finally(() => working.delete(work));
  }

  return {
    /** The answer to a request is on its way. */
    answered(id: string | number, handed: Handed<unknown>): void {
      if (!handed.confirm && !handed.giveBack) return;
      pending.set(id, { handed, timer: setTimeout(() => settle(id, true), settleMs) });
    },
    /** The client speaks again, so it has read what it was told before. */
    async spoke(): Promise<void> {
      for (const id of [...pending.keys()]) settle(id, true);
      await Promise.all(working);
    },
    cancelled: (id: string | number) => settle(id, false),
    async close(): Promise<void> {
      for (const id of [...pending.keys()]) settle(id, false);
      await Promise.all(working);
    },
  };
}

export type Settling = ReturnType<typeof openSettling>;
