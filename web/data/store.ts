/**
 * The one way this page loads data. A store holds what the hub last answered, or why it could not: `value` is undefined
 * until the hub has answered, so that "loading", "failed" and "there is nothing" are three different states.
 */
import { batch, type ReadonlySignal, signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { Event } from "../../src/contract/event.ts";
import { type Problem, problemOf } from "./api.ts";
import { coalesced } from "./coalesce.ts";
import { hasBegun, onEvent, onReload } from "./live.ts";
import { upToDate } from "./up-to-date.ts";

export interface Source<T> {
  fetch(signal: AbortSignal): Promise<T>;
  /** How an answer and what is known already make the new value; without it the answer is the value. */
  merge?(answer: T, known: T | undefined): T;
  /** Whether an event may have changed it. */
  changedBy?(event: Event): boolean;
  /** How long events are collected before it is loaded again: what is costly or only looked at need not follow each. */
  everyMs?: number;
}

export interface Store<T> {
  readonly value: ReadonlySignal<T | undefined>;
  /** Why the last attempt to load it failed. What was loaded before stays in `value`. */
  readonly problem: ReadonlySignal<Problem | undefined>;
  /** Loads it, or loads it again. Never rejects: a failure is in `problem`. */
  load(): Promise<void>;
  /** Forgets the value and any answer still under way. */
  reset(): void;
  /** Changes what is known, without asking the hub. An answer that was asked for before is asked for again. */
  update(change: (known: T) => T): void;
  /** Until `write` has settled, no answer is taken: it could be older than what the page shows already. */
  settling(write: Promise<unknown>): void;
  /** Loads a further part and adds it; a failure is in `problem`. */
  extend<Part>(fetch: (known: T) => Promise<Part>, add: (known: T, part: Part) => T): Promise<void>;
  /** Loads it again after every event that may have changed it, and when the line to the hub is back. */
  follow(): () => void;
}

const burstMs = 60;

export function store<T>({ fetch, merge, changedBy, everyMs = burstMs }: Source<T>): Store<T> {
  const value = signal<T | undefined>(undefined);
  const problem = signal<Problem | undefined>(undefined);

  const answers = upToDate();

  /** What is asked between two resets: an answer to an earlier question must not be taken for one to a later. */
  const begin = () => {
    const ending = new AbortController();
    const attempt = async <Found>(find: () => Promise<Found>, take: (found: Found) => T) => {
      try {
        const found = await answers.ask(find);
        if (ending.signal.aborted) return;
        batch(() => {
          value.value = take(found);
          problem.value = undefined;
        });
      } catch (error) {
        if (!ending.signal.aborted) problem.value = problemOf(error);
      }
    };
    const load = coalesced(() =>
      attempt(
        () => fetch(ending.signal),
        (answer) => (merge ? merge(answer, value.peek()) : answer),
      ),
    );
    return { ending, attempt, load };
  };
  let turn = begin();
  let followers = 0;
  let stops: (() => void)[] = [];

  const self: Store<T> = {
    value,
    problem,
    load: () => turn.load(),
    reset() {
      turn.ending.abort();
      turn = begin();
      batch(() => {
        value.value = undefined;
        problem.value = undefined;
      });
    },
    update(change) {
      answers.changed();
      const known = value.peek();
      if (known !== undefined) value.value = change(known);
    },
    settling: answers.settling,
    async extend(further, add) {
      const known = value.peek();
      if (known === undefined) return;
      await turn.attempt(
        () => further(known),
        (part) => add(value.peek() ?? known, part),
      );
    },
    follow() {
      const again = () => void self.load();
      // Events come in bursts: one request serves all that come within a moment.
      let soon = false;
      const batched = () => {
        if (soon) return;
        soon = true;
        setTimeout(() => {
          soon = false;
          again();
        }, everyMs);
      };
      if (followers++ === 0) stops = [onReload(again), onEvent((event) => changedBy?.(event) && batched())];
      return () => {
        if (--followers === 0) for (const stop of stops) stop();
      };
    },
  };
  return self;
}

/** What a component shows of a store. */
export interface Loaded<T> {
  value: T | undefined;
  problem: Problem | undefined;
  retry(): void;
}

/** Loads a store while a component shows it, and keeps it up to date. */
export function useStore<T>(shown: Store<T>, version?: unknown): Loaded<T> {
  useEffect(() => shown.follow(), [shown]);
  useEffect(() => {
    // Before the page knows where the events begin, an event could be missed: it loads everything once it knows.
    if (hasBegun()) void shown.load();
  }, [shown, version]);
  return { value: shown.value.value, problem: shown.problem.value, retry: () => void shown.load() };
}

/**
 * A store of a component's own. Other `keys`: something else is to be loaded. Another `version`: the same has changed, and
 * what is known of it is shown until the new comes.
 */
export function useLoaded<T>(source: Source<T>, keys: readonly unknown[], version?: unknown): Loaded<T> {
  const own = useMemo(() => store(source), keys);
  useEffect(() => () => own.reset(), [own]);
  return useStore(own, version);
}
