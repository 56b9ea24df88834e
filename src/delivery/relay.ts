/**
 * [G3] Takes pointers from the outbox to the carrier. What this process has just committed is carried at once; what
 * others left, because they died or have no carrier, after a moment. A pointer may be carried twice, for the database
 * decides; it is never lost, for it leaves the outbox only when the carrier has stored it.
 */
import { carried, isLeft, putBack, takeLeft } from "../bus/outbox.ts";
import type { Engine } from "../engines/engine.ts";
import type { Delivery, Pointer } from "./delivery.ts";

const sweepMs = 1000;
const batch = 500;

export interface Relay {
  push(pointers: readonly Pointer[]): void;
  close(): Promise<void>;
}

/** Connects the carrier. `everyMs`: how often it looks for what is left, beside the times that the carrier has just come. */
export function startRelay(engine: Engine, delivery: Delivery, everyMs = sweepMs): Relay {
  let queue: Pointer[] = [];
  let running: Promise<void> | undefined;
  let sweeping: Promise<void> | undefined;
  const begin = () => {
    sweeping ??= sweep().finally(() => {
      sweeping = undefined;
    });
  };
  const timer = setInterval(begin, everyMs);
  delivery.connect(begin);

  async function carry(pointers: readonly Pointer[]): Promise<void> {
    await delivery.put(pointers);
    await engine.write(() => carried(pointers.map(({ id }) => id)));
  }

  async function run(): Promise<void> {
    while (queue.length) {
      const next = queue.splice(0, batch);
      try {
        // Where the carrier is away they stay in the outbox, and the sweep finds them when it is back.
        if (delivery.up()) await carry(next);
      } catch {
        queue = [];
      }
    }
    running = undefined;
  }

  async function sweep(): Promise<void> {
    try {
      // Most of the time there is nothing, and that costs a read.
      while (delivery.up() && (await engine.read((tx) => isLeft(tx, sweepMs)))) {
        const left = await engine.write((tx) => takeLeft(tx, sweepMs, batch));
        if (!left.length) return; // others were faster
        await carry(left).catch(async (error) => {
          await engine.write(() => putBack(left.map(({ id }) => id)));
          throw error;
        });
      }
    } catch {
      // The database or the carrier is away: the next sweep is in a second.
    }
  }

  return {
    push(pointers) {
      queue.push(...pointers);
      if (queue.length) running ??= Promise.resolve().then(run);
    },
    async close() {
      clearInterval(timer);
      await running;
      await sweeping;
    },
  };
}
