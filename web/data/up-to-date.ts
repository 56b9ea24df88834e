/** Answers that are not older than what the page shows already: a list with what was just deleted must not be shown. */

export interface UpToDate {
  /** The page shows something that the hub has not answered. */
  changed(): void;
  /** Until `write` has settled, no answer is taken. */
  settling(write: Promise<unknown>): void;
  /** Asks until nothing has changed between question and answer. */
  ask<T>(find: () => Promise<T>): Promise<T>;
}

/** Where changes never pause, an answer is taken after this number of questions. */
const maxQuestions = 5;

export function upToDate(): UpToDate {
  let changes = 0;
  const writes = new Set<Promise<unknown>>();
  return {
    changed: () => void changes++,
    settling(write) {
      changes++;
      writes.add(write);
      const settled = () => writes.delete(write);
      write.then(settled, settled);
    },
    async ask(find) {
      for (let questions = 1; ; questions++) {
        await Promise.allSettled(writes);
        const before = changes;
        const found = await find();
        if (before === changes || questions === maxQuestions) return found;
      }
    },
  };
}
