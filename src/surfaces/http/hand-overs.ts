/**
 * Answers our own client has not confirmed yet. It asks for this by a header with an id of its own making, and confirms
 * once it holds the answer; or gives back, perhaps before there is an answer, when it went away in between. Saying it
 * twice is the same as saying it once: the answer to the first may have been lost.
 */
import { InboxError } from "../../contract/errors.ts";
import type { Handed } from "../../inbox.ts";

export const handHeader = "x-inbox-hand-over";
const patienceMs = 60_000;
/** How many words about unknown hand-overs are remembered; whoever sends more is not our client. */
const memory = 10_000;

interface Open {
  handed: Handed<unknown>;
  /** Whose it is, where tokens tell. */
  agent?: string;
  timer: Timer;
}

export function openHandOvers() {
  const open = new Map<string, Open>();
  /** What was said of those that are over, and of those that have not begun. */
  const said = new Map<string, "confirm" | "release">();

  function remember(id: string, word: "confirm" | "release"): void {
    if (said.size >= memory) said.delete(said.keys().next().value!);
    said.set(id, word);
    setTimeout(() => said.delete(id), patienceMs).unref();
  }

  async function settle(id: string, word: "confirm" | "release"): Promise<void> {
    const { handed, timer } = open.get(id)!;
    open.delete(id);
    clearTimeout(timer);
    remember(id, word);
    await (word === "confirm" ? handed.confirm?.() : handed.giveBack?.());
  }

  const over = () =>
    new InboxError("not_found", "that hand-over is over: its messages will be delivered again");

  return {
    async keep(id: string, handed: Handed<unknown>, agent?: string): Promise<void> {
      if (open.has(id) || said.get(id) === "confirm") {
        await handed.giveBack?.();
        throw new InboxError("conflict", "that hand-over id is in use", {
          hint: "make a new one for each request",
        });
      }
      const back = () => void settle(id, "release").catch(() => {});
      open.set(id, { handed, agent, timer: setTimeout(back, patienceMs) });
      if (said.has(id)) back();
    },

    async say(id: string, word: "confirm" | "release", agent?: string): Promise<void> {
      const found = open.get(id);
      if (found) {
        if (found.agent !== agent) throw new InboxError("not_allowed", "that hand-over is another agent's");
        return settle(id, word);
      }
      if (said.get(id) === word) return;
      if (word === "confirm") throw over();
      if (!said.has(id)) remember(id, word);
    },

    async close(): Promise<void> {
      // What cannot be given back now (its thread has ended) needs no giving back.
      for (const id of [...open.keys()]) await settle(id, "release").catch(() => {});
    },
  };
}
