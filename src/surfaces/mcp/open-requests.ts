/** Requests that have come and have no answer yet, of one connection. */
import { sleep } from "../../platform/runtime.ts";

export class OpenRequests {
  readonly #ids = new Set<unknown>();
  #whenNone = () => {};

  /** A message that came: only a request waits for an answer, until it is cancelled. */
  came(message: { method?: unknown; id?: unknown; params?: { requestId?: unknown } }): void {
    if (message.method === "notifications/cancelled") this.#left(message.params?.requestId);
    else if ("method" in message && "id" in message) this.#ids.add(message.id);
  }

  /** A message that goes out. */
  went(message: object): void {
    if ("method" in message || !("id" in message)) return;
    this.#left(message.id);
  }

  #left(id: unknown): void {
    this.#ids.delete(id);
    if (!this.#ids.size) this.#whenNone();
  }

  /** Resolves when all have their answers, or after that time. */
  async none(withinMs: number): Promise<void> {
    if (!this.#ids.size) return;
    await Promise.race([new Promise<void>((none) => (this.#whenNone = none)), sleep(withinMs)]);
  }
}
