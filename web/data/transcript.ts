/** [Q9] A sub-agent's transcript: its end first, then what comes, and what was before as far as it is looked for. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { TranscriptEntry } from "../../src/contract/transcript.ts";
import { type Problem, problemOf } from "./api.ts";
import { tasks } from "./tasks.ts";
import { type Piece, withEarlier, withLater } from "./transcript-pieces.ts";

export type { TranscriptEntry };

const retryMs = 1000;
/** Asking again would not help. */
const refusals = new Set<string | undefined>(["not_allowed", "not_found", "invalid_input"]);

export interface Transcript {
  pieces: readonly Piece[];
  /** All that was before is here. */
  begun: boolean;
  /** The hub has answered. */
  loaded: boolean;
  /** Why the last attempt to read on failed. It is repeated for as long as that may help. */
  problem: Problem | undefined;
  /** Loads what was before, unless that is under way. */
  earlier(): void;
}

interface Known {
  pieces: readonly Piece[];
  /** Where they begin; undefined until the end is there. */
  from: number | undefined;
}

const nothing: Known = { pieces: [], from: undefined };

/** Another `attempt` of a task is another transcript. */
export function useTranscript(name: string, attempt: number): Transcript {
  const known = useSignal<Known>(nothing);
  const problem = useSignal<Problem | undefined>(undefined);
  const turn = useRef<AbortController>(undefined);
  const busy = useRef(false);
  useEffect(() => {
    const ending = new AbortController();
    turn.current = ending;
    known.value = nothing;
    const follow = async () => {
      for (let after: number | undefined; !ending.signal.aborted; )
        try {
          const page =
            after === undefined
              ? await tasks.logEnd(name, ending.signal)
              : await tasks.log(name, after, ending.signal);
          if (ending.signal.aborted) return;
          const { pieces, from = page.from } = known.peek();
          problem.value = undefined;
          if (page.entries.length || after === undefined)
            known.value = { pieces: withLater(pieces, page.entries), from };
          if (page.ended && (after === undefined || !page.entries.length)) return;
          after = page.next;
        } catch (error) {
          if (ending.signal.aborted) return;
          problem.value = problemOf(error);
          if (refusals.has(problem.value.code)) return;
          await new Promise((done) => setTimeout(done, retryMs));
        }
    };
    void follow();
    return () => ending.abort();
  }, [name, attempt, known, problem]);

  const earlier = async () => {
    const { from } = known.peek();
    const { signal } = turn.current!;
    if (!from || busy.current) return;
    busy.current = true;
    try {
      const page = await tasks.logBefore(name, from, signal);
      if (!signal.aborted) {
        problem.value = undefined;
        known.value = { pieces: withEarlier(known.peek().pieces, page.entries), from: page.from };
      }
    } catch (error) {
      if (!signal.aborted) problem.value = problemOf(error);
      // Near the beginning every redraw asks for the earlier page again: not more often than once a second.
      await new Promise((done) => setTimeout(done, retryMs));
    }
    busy.current = false;
  };
  return {
    pieces: known.value.pieces,
    begun: known.value.from === 0,
    loaded: known.value.from !== undefined,
    problem: problem.value,
    earlier: () => void earlier(),
  };
}
