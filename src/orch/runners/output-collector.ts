/** Text that an agent prints in pieces: whole lines for the transcript, and the last text for the final message. */
import { keptEnd } from "./kept-end.ts";
import { finalLimit, type Outcome, type Talk } from "./runner.ts";

/** Text of this length without a line break is written to the transcript nevertheless. */
const longest = 4096;

export interface Said {
  add(text: string): Promise<void>;
  /** It does something else: its next text is a new message. */
  pause(): Promise<void>;
  /** The last text, and how much of its beginning is missing. */
  final(): Pick<Outcome, "final" | "cut">;
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
      // Kept unless it prints more: an agent may end with a tool call.
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
    final: () => ({ final: now.text(), cut: now.cut() }),
  };
}
