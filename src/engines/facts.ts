/**
 * What a process has learnt from committed transactions and what never becomes false, or only with age: which agents
 * are known, which were recorded as live a moment ago. It saves reading the database again with every message. Learnt
 * only after the commit.
 */
const limit = 10_000;

export class Facts {
  private readonly known = new Map<string, string>();

  recall(fact: string): string | undefined {
    return this.known.get(fact);
  }

  learn(learnt: Iterable<[string, string]>): void {
    for (const [fact, value] of learnt) this.known.set(fact, value);
    if (this.known.size > limit) this.known.clear();
  }
}
