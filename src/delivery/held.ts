/** Pointers that came to this process and are not settled: what becomes of those that nobody takes. */
import { stillThere } from "../bus/outbox.ts";
import type { Engine } from "../engines/engine.ts";
import type { Arrival } from "./delivery.ts";

/** How long a pointer may lie here before it is asked whether its message still needs somebody. */
const doubtMs = 50;
/** How long one lies here that nobody took, before another hub may have it. */
const holdMs = 1000;
/** Neither takes longer than this, however often it was in vain. */
const longestMs = 30_000;
/** The number of those that were given back that are remembered. */
const memory = 10_000;

interface Held extends Arrival {
  since: number;
}

export class HeldPointers {
  readonly #held = new Map<number, Held>();
  /** How often each was given back by us. */
  readonly #refused = new Map<number, number>();
  #doubting: Timer | undefined;
  #doubtingAt = 0;
  #pauseMs = doubtMs;
  #stopped = false;

  constructor(private readonly engine: Engine) {}

  add(arrival: Arrival): void {
    // The same pointer twice: one is enough.
    if (this.#held.has(arrival.id)) arrival.done();
    else this.#held.set(arrival.id, { ...arrival, since: performance.now() });
    // One that comes again is no news.
    if (!this.#refused.has(arrival.id)) this.#pauseMs = doubtMs;
    this.#doubtIn(this.#pauseMs);
  }

  /** Their messages need nobody any more. */
  settle(ids: readonly number[]): void {
    for (const id of ids) {
      this.#held.get(id)?.done();
      this.#held.delete(id);
      this.#refused.delete(id);
    }
  }

  /** After this the database is not asked again, not even about pointers that still arrive. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#doubting);
  }

  /** Somebody else may have them all. */
  backAll(): void {
    for (const { back } of this.#held.values()) back();
  }

  #doubtIn(ms: number): void {
    if (this.#stopped) return;
    const at = performance.now() + ms;
    if (this.#doubting && this.#doubtingAt <= at) return;
    clearTimeout(this.#doubting);
    this.#doubtingAt = at;
    this.#doubting = setTimeout(() => this.#doubt(), ms);
  }

  async #doubt(): Promise<void> {
    this.#doubting = undefined;
    const now = performance.now();
    await this.#settleNeedless(now);
    const next = this.#giveUpOld(now);
    this.#pauseMs = Math.min(this.#pauseMs * 2, longestMs);
    if (this.#held.size) this.#doubtIn(Math.max(doubtMs, Math.min(this.#pauseMs, next)));
  }

  /** Pointers that nobody took: most were taken by somebody who did not need them. The database knows. */
  async #settleNeedless(now: number): Promise<void> {
    const ids = [...this.#held].filter(([, { since }]) => now - since >= doubtMs - 1).map(([id]) => id);
    if (!ids.length) return;
    try {
      const there = new Set(await this.engine.read((tx) => stillThere(tx, ids)));
      this.settle(ids.filter((id) => !there.has(id)));
    } catch {
      // The database is away: they wait here with everybody else.
    }
  }

  /** Another hub may have those that lay here long enough. The answer: in how many milliseconds the next one has. */
  #giveUpOld(now: number): number {
    let next = Number.POSITIVE_INFINITY;
    for (const [id, { since, back }] of this.#held) {
      const left = since + this.#holdOf(id) - now;
      if (left > 0) {
        next = Math.min(next, left);
        continue;
      }
      this.#held.delete(id);
      this.#refuse(id);
      back();
    }
    return next;
  }

  /** Whoever is handed the same one again and again has no use for it, and does not look at it as often. */
  #holdOf(id: number): number {
    return Math.min(holdMs * 2 ** (this.#refused.get(id) ?? 0), longestMs);
  }

  #refuse(id: number): void {
    const times = (this.#refused.get(id) ?? 0) + 1;
    this.#refused.delete(id); // so that the oldest come first
    this.#refused.set(id, times);
    if (this.#refused.size > memory) this.#refused.delete(this.#refused.keys().next().value!);
  }
}
