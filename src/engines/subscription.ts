/** A waiter that is told that something may have changed, whatever the source. */
import { type Alarm, beginWork, cancelAlarm, endWork, setAlarm } from "../platform/quiet.ts";
import type { Ended, EndSignal, Subscription, Work } from "./engine.ts";
import type { Listener } from "./listeners.ts";

/** What a bell hears of. */
export interface Source {
  /** The bell is closed. */
  leave(bell: Bell): void;
  /** Thrown in the waiter, once there is one. */
  readonly failure?: unknown;
}

/**
 * One object with all that an open wait needs: as closures it was twenty of them, which a hub holds for each of thousands. It is its own
 * alarm, for the end of its time, and listens itself to the signal of the call.
 */
export class Bell implements Subscription, Listener, Ended, Alarm {
  at = 0;
  place = -1;
  #dirty = false;
  #awake = true;
  #resolve: ((result: unknown) => void) | undefined;
  #signal: EndSignal | undefined;
  #take: Work<unknown> | undefined;

  constructor(
    readonly source: Source,
    readonly topics: readonly string[] = [],
  ) {
    beginWork();
  }

  next<T>({ atMost, signal, take }: Parameters<Subscription["next"]>[0]): Promise<T | undefined> {
    return new Promise<unknown>((resolve) => {
      this.#resolve = resolve;
      this.#rest();
      if (this.#dirty || this.source.failure || signal?.aborted) return this.#wake();
      this.#signal = signal;
      signal?.addEventListener("abort", this);
      this.#take = take;
      if (atMost !== undefined) setAlarm(this, atMost);
    }) as Promise<T | undefined>;
  }

  /** What a sleeping waiter would do with what a transaction brings. */
  get take(): Work<unknown> | undefined {
    return this.#take;
  }

  /** That was done, and is committed. */
  give(value: unknown): void {
    this.#wake(value);
  }

  /** Something may have changed, or the time is over. */
  ring(): void {
    this.#dirty = true;
    this.#wake();
  }

  /** The signal of the call. */
  handleEvent(): void {
    this.#wake();
  }

  close(): void {
    this.#rest();
    this.source.leave(this);
  }

  #wake(given?: unknown): void {
    const resolve = this.#resolve;
    if (!resolve) return;
    this.#resolve = undefined;
    if (!this.#awake) beginWork();
    this.#awake = true;
    cancelAlarm(this);
    this.#signal?.removeEventListener("abort", this);
    this.#signal = undefined;
    this.#take = undefined;
    this.#dirty = false;
    const { failure } = this.source;
    resolve(given === undefined && failure ? Promise.reject(failure) : given);
  }

  #rest(): void {
    if (this.#awake) endWork();
    this.#awake = false;
  }
}
