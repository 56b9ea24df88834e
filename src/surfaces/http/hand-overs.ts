/**
 * Answers our own client has not confirmed yet. It asks for this by a header with an id of its own making, and confirms
 * once it holds the answer; or gives back, perhaps before there is an answer, when it went away in between.
 */
import { InboxError } from "../../contract/errors.ts";
import type { Handed } from "../../inbox.ts";

export const handHeader = "x-inbox-hand-over";
const patienceMs = 60_000;

export function openHandOvers() {
  const open = new Map<string, { handed: Handed<unknown>; timer: Timer }>();
  const unwanted = new Set<string>();

  const settle = (id: string) => {
    const found = open.get(id);
    if (!found)
      throw new InboxError("not_found", "that hand-over is over: its messages will be delivered again");
    open.delete(id);
    clearTimeout(found.timer);
    return found.handed;
  };

  return {
    keep(id: string, handed: Handed<unknown>): void {
      const back = () =>
        void settle(id)
          .giveBack?.()
          .catch(() => {});
      open.set(id, { handed, timer: setTimeout(back, patienceMs) });
      if (unwanted.has(id)) back();
    },
    confirm: async (id: string) => settle(id).confirm?.(),
    async giveBack(id: string): Promise<void> {
      if (open.has(id)) return settle(id).giveBack?.();
      unwanted.add(id);
      setTimeout(() => unwanted.delete(id), patienceMs).unref();
    },
    async close(): Promise<void> {
      // What cannot be given back now (its thread has ended) needs no giving back.
      for (const id of [...open.keys()])
        await settle(id)
          .giveBack?.()
          .catch(() => {});
    },
  };
}

export type HandOvers = ReturnType<typeof openHandOvers>;
