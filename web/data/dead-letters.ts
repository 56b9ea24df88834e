/** Messages nobody could be brought to accept. */
import type { DeadLetter } from "../../src/contract/dead-letter.ts";
import { api } from "./api.ts";

export type { DeadLetter };
export const loadDead = async (): Promise<readonly DeadLetter[]> =>
  (await api.deadLetters.list({ limit: 1000 })).messages.toReversed();
export const requeue = (id: number) => api.deadLetters.requeue({ id });
export const purge = (id: number) => api.deadLetters.purge({ id });
