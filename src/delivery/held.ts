/** Pointers that have arrived in this process and are not settled, and what happens to those that nobody takes. */
import { stillThere } from "../bus/outbox.ts";
import type { Engine } from "../engines/engine.ts";
import type { Arrival } from "./delivery.ts";

/** How long a pointer is held before the database is asked whether its message still needs delivery. */
const doubtMs = 50;
/** How long a pointer that nobody took is held before another hub may have it. */
const holdMs = 1000;
/** The maximum of both, however often a pointer was returned. */
const longestMs = 30_000;
/** How many returned pointers are remembered. */
const memory = 10_000;

interface Held extends Arrival {
  since: number;
}

export class HeldPointers {
  readonly #held = new Map<number, Held>();
  /** How often we have returned each. */
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
    // A pointer that arrives again is not new.
    if (!this.#refused.has(arrival.id)) this.#pauseMs = doubtMs;
    this.#doubtIn(this.#pauseMs);
  }

  /** Their messages need no delivery any more. */
  settle(ids: readonly number[]): void {
    for (const id of ids) {
      this.#held.get(id)?.done();
      this.#held.delete(id);
      this.#refused.delete(id);
    }
  }

  /** After this the database is not asked again, even about pointers that still arrive. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#doubting);
  }

  /** Returns all of them, so that another process may have them. */
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

  /** Pointers that nobody took: most messages were handed over without the pointer. The database knows. */
  async #settleNeedless(now: number): Promise<void> {
    const ids = [...this.#held].filter(([, { since }]) => now - since >= doubtMs - 1).map(([id]) => id);
    if (!ids.length) return;
    try {
      const there = new Set(await this.engine.read((tx) => stillThere(tx, ids)));
      this.settle(ids.filter((id) => !there.has(id)));
    } catch {
      // The database is unavailable: the pointers stay here.
    }
  }

  /**
   * Returns pointers that were held long enough, so that another hub may have them. Returns the milliseconds until
   * the next one is due.
   */
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

  /** A process that gets the same pointer again and again has no use for it, and checks it less often. */
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
