/** Whoever is told that something may have changed. */
export interface Listener {
  ring(): void;
}

/** The waits of this process, by topic. Most topics have one: a set of one takes 300 bytes. */
export class Listeners {
  readonly #byTopic = new Map<string, Listener | Set<Listener>>();

  get size(): number {
    return this.#byTopic.size;
  }

  has(topic: string): boolean {
    return this.#byTopic.has(topic);
  }

  add(topic: string, listener: Listener): void {
    const there = this.#byTopic.get(topic);
    if (there instanceof Set) there.add(listener);
    else if (there !== listener)
      this.#byTopic.set(topic, there === undefined ? listener : new Set([there, listener]));
  }

  /** True if it was the topic's last one. */
  remove(topic: string, listener: Listener): boolean {
    const there = this.#byTopic.get(topic);
    if (there instanceof Set) there.delete(listener);
    if (there !== listener && !(there instanceof Set && !there.size)) return false;
    return this.#byTopic.delete(topic);
  }

  ring(topic: string): void {
    for (const listener of this.of(topic)) listener.ring();
  }

  ringAll(): void {
    for (const topic of this.#byTopic.keys()) this.ring(topic);
  }

  of(topic: string): Iterable<Listener> {
    const there = this.#byTopic.get(topic);
    return there instanceof Set ? there : there === undefined ? [] : [there];
  }

  /** A copy, because the caller may remove elements while it iterates. */
  all(): [topic: string, listener: Listener][] {
    return [...this.#byTopic.keys()].flatMap((topic) =>
      [...this.of(topic)].map((listener): [string, Listener] => [topic, listener]),
    );
  }
}
