/** Messages that were delivered several times and never acknowledged. */
import type { DeadLetter } from "../../src/contract/dead-letter.ts";
import { api } from "./api.ts";
import { store } from "./store.ts";

export type { DeadLetter };

/** Newest first. The hub has them oldest first, so all are read; there should never be many. */
async function listDead(): Promise<readonly DeadLetter[]> {
  const all: DeadLetter[] = [];
  for (let afterId = 0; ; ) {
    const { messages } = await api.deadLetters.list({ limit: 1000, afterId });
    all.push(...messages);
    if (messages.length < 1000) return all.reverse();
    afterId = messages.at(-1)!.id;
  }
}

export const deadLetters = store({
  fetch: listDead,
  changedBy: ({ eventType }) => eventType.startsWith("message"),
});

export const requeue = (id: number) => api.deadLetters.requeue({ id });
export const purge = (id: number) => api.deadLetters.purge({ id });
