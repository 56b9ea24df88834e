/** What an agent says bit by bit: whole lines for the transcript, and what it said last for the final message. */
import { keptEnd } from "./kept-end.ts";
import { finalLimit, type Talk } from "./runner.ts";

/** Characters without a line break that are noted all the same. */
const longest = 4096;

export interface Said {
  add(text: string): Promise<void>;
  /** It does something else: what it says from now on is a message of its own. */
  pause(): Promise<void>;
  final(): string;
}

export function said(note: Talk["note"]): Said {
  let waiting = "";
  let now = keptEnd(finalLimit);
  let paused = false;

  async function flush(upTo: number): Promise<void> {
    const text = waiting.slice(0, upTo);
    waiting = waiting.slice(upTo);
    if (text !== "") await note({ kind: "output", text });
  }

  return {
    async add(text) {
      if (text === "") return;
      // Kept until it says something after all: an agent may end with a tool.
      if (paused) now = keptEnd(finalLimit);
      paused = false;
      now.add(text);
      waiting += text;
      const end = waiting.lastIndexOf("\n") + 1;
      if (end > 0) await flush(end);
      if (waiting.length > longest) await flush(waiting.length);
    },
    async pause() {
      paused = true;
      await flush(waiting.length);
    },
    final: () => now.text(),
  };
}
