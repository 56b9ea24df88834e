/** The waits of this process, by topic. */
export class Listeners {
  readonly #byTopic = new Map<string, Set<() => void>>();

  get size(): number {
    return this.#byTopic.size;
  }

  add(topic: string, listener: () => void): void {
    this.#byTopic.set(topic, (this.#byTopic.get(topic) ?? new Set()).add(listener));
  }

  /** True if it was the topic's last one. */
  remove(topic: string, listener: () => void): boolean {
    const same = this.#byTopic.get(topic);
    same?.delete(listener);
    if (same?.size !== 0) return false;
    return this.#byTopic.delete(topic);
  }

  ring(topic: string): void {
    for (const listener of this.#byTopic.get(topic) ?? []) listener();
  }

  ringAll(): void {
    for (const topic of this.#byTopic.keys()) this.ring(topic);
  }

  /** A copy, because the caller may remove elements while it iterates. */
  all(): [topic: string, listener: () => void][] {
    return [...this.#byTopic].flatMap(([topic, same]) =>
      [...same].map((listener): [string, () => void] => [topic, listener]),
    );
  }
}
