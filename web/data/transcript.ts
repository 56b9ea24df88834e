/** [Q9] A sub-agent's transcript as it grows. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { TranscriptEntry } from "../../src/contract/transcript.ts";
import { type Problem, problemOf } from "./api.ts";
import { tasks } from "./tasks.ts";

export type { TranscriptEntry };

const retryMs = 1000;
/** Asking again would not help. */
const refusals = new Set<string | undefined>(["not_allowed", "not_found", "invalid_input"]);

export interface Transcript {
  entries: readonly TranscriptEntry[];
  /** Why the last attempt to read on failed. It is repeated for as long as that may help. */
  problem: Problem | undefined;
}

/** Another `attempt` of a task is another transcript. */
export function useTranscript(name: string, attempt: number): Transcript {
  const entries = useSignal<readonly TranscriptEntry[]>([]);
  const problem = useSignal<Problem | undefined>(undefined);
  useEffect(() => {
    const ending = new AbortController();
    const follow = async () => {
      for (let after = 0; !ending.signal.aborted; )
        try {
          const page = await tasks.log(name, after, ending.signal);
          after = page.next;
          problem.value = undefined;
          if (page.entries.length) entries.value = [...entries.peek(), ...page.entries];
          else if (page.ended) return;
        } catch (error) {
          if (ending.signal.aborted) return;
          problem.value = problemOf(error);
          if (refusals.has(problem.value.code)) return;
          await new Promise((done) => setTimeout(done, retryMs));
        }
    };
    void follow();
    return () => ending.abort();
  }, [name, attempt, entries, problem]);
  return { entries: entries.value, problem: problem.value };
}
