/**
 * [G3] Takes pointers from the outbox to the carrier. What this process has just committed is carried at once; what
 * others left, because they died or have no carrier, after a moment. A pointer may be carried twice, for the database
 * decides; it is never lost, for it leaves the outbox only when the carrier has stored it.
 */
import { carried, leftOver } from "../bus/outbox.ts";
import type { Engine } from "../engines/engine.ts";
import type { Delivery, Pointer } from "./delivery.ts";

const sweepMs = 1000;
const batch = 500;

export interface Relay {
  push(pointers: readonly Pointer[]): void;
  close(): Promise<void>;
}

export function startRelay(engine: Engine, delivery: Delivery): Relay {
  let queue: Pointer[] = [];
  let running: Promise<void> | undefined;
  let sweeping: Promise<void> | undefined;
  const timer = setInterval(() => {
    sweeping ??= sweep().finally(() => {
      sweeping = undefined;
    });
  }, sweepMs);

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
      while (delivery.up()) {
        const left = await engine.write((tx) => leftOver(tx, sweepMs, batch));
        if (!left.length) return;
        await carry(left);
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
