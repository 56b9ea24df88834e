/** Answers our own client has not confirmed yet. It asks for this by a header, and confirms once it holds the answer. */
import { InboxError } from "../../contract/errors.ts";
import type { Handed } from "../../inbox.ts";

export const handHeader = "x-inbox-hand-over";
const patienceMs = 60_000;

export function openHandOvers() {
  const open = new Map<string, { handed: Handed<unknown>; timer: Timer }>();

  const settle = (id: string) => {
    const found = open.get(id);
    if (!found)
      throw new InboxError("not_found", "that hand-over is over: its messages will be delivered again");
    open.delete(id);
    clearTimeout(found.timer);
    return found.handed;
  };

  return {
    /** The id under which the client speaks of it. */
    keep(handed: Handed<unknown>): string {
      const id = crypto.randomUUID();
      const timer = setTimeout(
        () =>
          void settle(id)
            .giveBack?.()
            .catch(() => {}),
        patienceMs,
      );
      open.set(id, { handed, timer });
      return id;
    },
    confirm: async (id: string) => settle(id).confirm?.(),
    giveBack: async (id: string) => settle(id).giveBack?.(),
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
