/** [G4.3] The hub of a wait, while it does not answer: the caller is told once, until it is back. */

/** A hub that is started again is back before this. */
const briefMs = 5000;

export class Absence {
  #since: number | undefined;
  #isTold = false;

  constructor(private readonly onAway: (() => void) | undefined) {}

  /** It did not answer just now. */
  goesOn(): void {
    const now = performance.now();
    this.#since ??= now;
    if (this.#isTold || now - this.#since < briefMs) return;
    this.#isTold = true;
    this.onAway?.();
  }

  end(): void {
    this.#since = undefined;
    this.#isTold = false;
  }
}
