/** A bus as the SDK gives it to a program: errors are spelled for programs, and it says so after it was closed. */
import type { AnyOperation } from "../contract/operation.ts";
import { operationNamed } from "../contract/operations/index.ts";
import type { Spelling } from "../contract/phrase.ts";
import type { Bus } from "./namespaces.ts";
import { asCalled, closedAlready } from "./refusals.ts";

/** [C6] `close` ends the waits, and lets every other call finish: none finds the database closed under it. */
export function answerable(bus: Bus, spelling: Spelling): Bus {
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();

  const untilClose = (signal: AbortSignal | undefined) =>
    signal ? AbortSignal.any([signal, closing.signal]) : closing.signal;
  const call: Bus["call"] = async (name, input, options) => {
    closing.signal.throwIfAborted();
    const op = operationNamed(name) as AnyOperation;
    const given = op.waits ? { ...options, signal: untilClose(options?.signal) } : options;
    const work = bus.call(name, input, given);
    running.add(work);
    try {
      return await work;
    } catch (error) {
      throw asCalled(error, spelling, op);
    } finally {
      running.delete(work);
    }
  };
  return {
    call,
    async *follow(input, options) {
      closing.signal.throwIfAborted();
      try {
        yield* bus.follow(input, { ...options, signal: untilClose(options?.signal) });
      } catch (error) {
        throw asCalled(error, spelling, operationNamed("events.watch") as AnyOperation);
      }
      // A follower whose signal is aborted just ends.
      if (!options?.signal?.aborted) closing.signal.throwIfAborted();
    },
    async close() {
      if (closing.signal.aborted) return;
      closing.abort(closedAlready());
      await Promise.allSettled(running);
      await bus.close();
    },
  };
}
