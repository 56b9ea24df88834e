/**
 * What a process has learnt from committed transactions and never becomes false, or only by its own age: who is known, who
 * was noted as living a moment ago. It saves asking the database again with every message. Learnt only after the commit.
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
