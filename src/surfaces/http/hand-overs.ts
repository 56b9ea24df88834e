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

type Word = "confirm" | "release";

interface Open {
  handed: Handed<unknown>;
  /** Whose it is, where tokens tell. */
  agent?: string;
  timer: Timer;
  /** What is being written of it. */
  settling?: { word: Word; written: Promise<void> };
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

  /** What could not be written may be said again, until its time is over. */
  async function settle(id: string, word: Word): Promise<void> {
    const entry = open.get(id)!;
    const { handed, timer, settling } = entry;
    if (settling)
      return settling.word === word
        ? settling.written
        : settling.written.catch(() => {}).then(() => say(id, word, entry.agent));
    const written = Promise.resolve(word === "confirm" ? handed.confirm?.() : handed.giveBack?.()).then(
      () => {
        open.delete(id);
        clearTimeout(timer);
        remember(id, word);
      },
      (error) => {
        entry.settling = undefined;
        throw error;
      },
    );
    entry.settling = { word, written };
    await written;
  }

  async function say(id: string, word: Word, agent?: string): Promise<void> {
    const found = open.get(id);
    if (found) {
      if (found.agent !== agent) throw new InboxError("not_allowed", "that hand-over is another agent's");
      return settle(id, word);
    }
    if (said.get(id) === word) return;
    if (word === "confirm") throw over();
    if (!said.has(id)) remember(id, word);
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
      const back = () => void settle(id, "release").catch(() => open.delete(id));
      open.set(id, { handed, agent, timer: setTimeout(back, patienceMs) });
      if (said.has(id)) back();
    },

    say,

    async close(): Promise<void> {
      // What cannot be given back now (its thread has ended) needs no giving back.
      for (const id of [...open.keys()]) await settle(id, "release").catch(() => {});
    },
  };
}
