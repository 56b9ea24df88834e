/** Search over entries, threads and messages: ranked by the hub, with the places that match. */
import { useRef } from "preact/hooks";
import type { SearchHit } from "../../src/contract/search.ts";
import type { Place } from "../router.ts";
import { api, type Problem } from "./api.ts";
import { useLoaded } from "./store.ts";

export type { SearchHit };

export interface Search {
  hits: readonly SearchHit[];
  state: "off" | "searching" | "done" | "failed";
  problem?: Problem;
  retry(): void;
}

const shortest = 2;
/** Whoever types on within this time asks for nothing. */
const typingMs = 60;

/** Searches for what is typed. What was found last stays until the next answer, so that the list does not flicker. */
export function useSearch(words: string): Search {
  const last = useRef<readonly SearchHit[]>([]);
  const on = words.length >= shortest;
  const { value, problem, retry } = useLoaded(
    {
      async fetch(signal) {
        if (!on) return [];
        await new Promise((done) => setTimeout(done, typingMs));
        signal.throwIfAborted();
        return (await api.search.find({ q: words, limit: 20 }, { signal })).hits;
      },
    },
    [words],
  );
  if (!on) last.current = [];
  else if (value) last.current = value;
  const state = !on ? "off" : problem ? "failed" : value ? "done" : "searching";
  return { hits: state === "failed" ? [] : last.current, state, problem, retry };
}

/** Where a hit leads. */
export function placeOf(hit: SearchHit): Place {
  if (hit.entryId) return { tab: "inbox", id: hit.entryId };
  if (hit.threadId) return { tab: "threads", id: hit.threadId };
  return { tab: "channels", id: hit.channel ?? hit.id };
}
