/**
 * What has just failed is not tried for some time. After a call whose case was not plain that is the next one of its kind, after
 * a call that had to wait for rows of others the next one that may have to. A lock that was busy is free soon; an agent that is
 * in a pool stays there.
 */
const firstRestMs = 15;
const mostRestMs = 1000;
const kindLimit = 1000;

/** The kinds of calls that are not tried for a moment, which is longer each time that the case is not plain again. */
export class Resting {
  readonly #rests = new Map<string, { until: number; ms: number }>();

  constructor(private readonly clock: () => number) {}

  has(kind: string | undefined): boolean {
    const rest = kind === undefined ? undefined : this.#rests.get(kind);
    return rest !== undefined && this.clock() < rest.until;
  }

  add(kind: string | undefined): void {
    if (kind === undefined) return;
    if (this.#rests.size >= kindLimit) this.#rests.clear();
    const ms = Math.min((this.#rests.get(kind)?.ms ?? firstRestMs / 2) * 2, mostRestMs);
    this.#rests.set(kind, { until: this.clock() + ms, ms });
  }

  end(kind: string | undefined): void {
    if (kind !== undefined && this.#rests.size) this.#rests.delete(kind);
  }
}
