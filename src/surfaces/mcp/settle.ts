/**
 * [B4] Answers that collect, over MCP. The protocol has no confirmation. A client that cancels has not read the
 * answer, even if it was written; one that calls again has; one that is silent for a while counts as having read it.
 * When a connection ends, the code that serves it says which answers were read: the others are released, and marked.
 */
import type { Handed } from "../../inbox/inbox.ts";

const settleMs = 5000;

interface Pending {
  handed: Handed<unknown>;
  timer: Timer;
  speaker: string;
  /** Whether the whole answer was taken from us. Until then a call of another client with the same name does not confirm it. */
  written: boolean;
}

export type Id = string | number;

export function openSettling() {
  const pending = new Map<Id, Pending>();
  const working = new Set<Promise<void>>();

  function settle(id: Id, taken: boolean): void {
    const found = pending.get(id);
    if (!found) return;
    pending.delete(id);
    clearTimeout(found.timer);
    const { handed } = found;
    // If this fails, the mail is delivered again after its deadline; there is nobody left to tell.
    const work = Promise.resolve(taken ? handed.confirm?.() : handed.release?.({ seen: true })).catch(
      () => {},
    );
    working.add(work);
    void work.finally(() => working.delete(work));
  }

  return {
    /** The answer to a request is on its way. `speaker`: its client, if several share this, and `written` follows. */
    answered(id: Id, handed: Handed<unknown>, speaker?: string): void {
      if (!handed.confirm && !handed.release) return;
      const timer = setTimeout(() => settle(id, true), settleMs);
      pending.set(id, { handed, speaker: speaker ?? "", written: speaker === undefined, timer });
    },
    written(id: Id): void {
      const found = pending.get(id);
      if (found) found.written = true;
    },
    /** The client calls again, so it has read its earlier answers. */
    async spoke(speaker = ""): Promise<void> {
      for (const [id, one] of [...pending]) if (one.written && one.speaker === speaker) settle(id, true);
      await Promise.all(working);
    },
    cancelled: (id: Id) => settle(id, false),
    /** The connection has ended; `wasRead` says for each answer whether its client had read it by then. */
    async close(wasRead: (id: Id) => boolean): Promise<void> {
      for (const id of [...pending.keys()]) settle(id, wasRead(id));
      await Promise.all(working);
    },
  };
}

export type Settling = ReturnType<typeof openSettling>;
