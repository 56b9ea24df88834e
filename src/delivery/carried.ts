/**
 * An engine whose mail is carried by a message broker: the same engine, but the pointer of a message is written with
 * it and carried after the commit, and waits for mail wait for pointers. The database's own wake-ups arrive too, with
 * a delay while the carrier is up and at once while it is not: a pointer that is late or lost costs a moment, never a
 * message.
 */
import type { Engine, Subscription } from "../engines/engine.ts";
import { Bell } from "../engines/subscription.ts";
import { agentTopic } from "../sql/topics.ts";
import type { Arrival, Delivery, Pointer } from "./delivery.ts";
import { HeldPointers } from "./held.ts";
import { type Relay, startRelay } from "./relay.ts";

/** How long the carrier has before the database's own wake-up counts. */
const headStartMs = 250;

/** `brief`: connects only for a wait; what it sends is carried by processes that stay. */
export function carriedBy(delivery: Delivery, engine: Engine, brief: boolean): Engine {
  let relay: Relay | undefined;
  const held = new HeldPointers(engine);
  const readers = new Readers(delivery, (arrival) => held.add(arrival));

  function start(): void {
    relay ??= startRelay(engine, delivery);
  }
  if (!brief) start();

  return {
    ...engine,
    async write(work, options) {
      let pointers: Pointer[] = [];
      let taken: number[] = [];
      const value = await engine.write(
        (tx) => {
          pointers = [];
          taken = [];
          return work({
            ...tx,
            carry: (pointer) => pointers.push(pointer),
            taken: (ids) => taken.push(...ids),
          });
          // The plain case of a write carries nothing.
        },
        { ...options, plain: undefined },
      );
      held.settle(taken);
      relay?.push(pointers);
      return value;
    },
    mail(agent) {
      start();
      return subscribeToMail(agent, { delivery, engine, readers });
    },
    async close() {
      held.stop();
      await relay?.close();
      held.backAll();
      await delivery.close();
      await engine.close();
    },
  };
}

/** Of several waits for the same mail in this process all look; the database gives it to one. */
class Readers {
  readonly #boxes = new Map<string, { rings: Set<() => void>; stop: () => void }>();

  constructor(
    private readonly delivery: Delivery,
    private readonly hold: (arrival: Arrival) => void,
  ) {}

  enter(agent: string, ring: () => void): void {
    const box = this.#boxes.get(agent);
    if (box) return void box.rings.add(ring);
    const rings = new Set([ring]);
    const stop = this.delivery.get(agent, (arrival) => {
      this.hold(arrival);
      for (const each of rings) each();
    });
    this.#boxes.set(agent, { rings, stop });
  }

  leave(agent: string, ring: () => void): void {
    const box = this.#boxes.get(agent)!;
    box.rings.delete(ring);
    if (box.rings.size) return;
    this.#boxes.delete(agent);
    box.stop();
  }
}

interface Sources {
  delivery: Delivery;
  engine: Engine;
  readers: Readers;
}

function subscribeToMail(agent: string, { delivery, engine, readers }: Sources): Subscription {
  const ended = new AbortController();
  const late = new Set<Timer>();
  const bell = new Bell({
    leave() {
      ended.abort();
      readers.leave(agent, ring);
      hints.close();
      for (const timer of late) clearTimeout(timer);
    },
  });
  const ring = () => bell.ring();
  const hints = engine.subscribe([agentTopic(agent)]);
  readers.enter(agent, ring);

  function ringLate(): void {
    const timer = setTimeout(() => {
      late.delete(timer);
      ring();
    }, headStartMs);
    late.add(timer);
  }

  async function followHints(): Promise<void> {
    while (!ended.signal.aborted) {
      await hints.next({ signal: ended.signal });
      if (ended.signal.aborted) return;
      if (delivery.up()) ringLate();
      else ring();
    }
  }

  followHints().catch(ring); // a waiter reads then, and gets the error
  return bell;
}
