/**
 * An engine whose mail is carried by somebody else: the same engine, but a message's pointer is written with it and
 * carried after the commit, and whoever waits for mail waits for pointers. The database's own word comes too, a moment
 * later while the carrier is up and at once while it is not: a pointer that is late or lost costs a moment, never a message.
 */
import { stillThere } from "../bus/outbox.ts";
import type { Engine, Subscription } from "../engines/engine.ts";
import { bell } from "../engines/subscription.ts";
import { agentTopic } from "../sql/topics.ts";
import type { Arrival, Delivery, Pointer } from "./delivery.ts";
import { type Relay, startRelay } from "./relay.ts";

/** How long the carrier has before the database's own word counts. */
const headStartMs = 250;
/** How long a pointer may lie here before it is asked whether its message still needs somebody. */
const doubtMs = 50;
/** How long one lies here that nobody took, before another hub may have it. */
const holdMs = 1000;
/** Neither takes longer than this, however often it was in vain. */
const longestMs = 30_000;
/** So many of those that were given back are remembered. */
const memory = 10_000;

interface Held extends Arrival {
  since: number;
}

/** `brief`: connects only when somebody waits; what it sends is carried by those who stay. */
export function carriedBy(delivery: Delivery, engine: Engine, brief: boolean): Engine {
  let relay: Relay | undefined;
  const held = new Map<number, Held>();
  const boxes = new Map<string, { rings: Set<() => void>; stop: () => void }>();
  /** How often each was given back by us. */
  const refused = new Map<number, number>();
  let doubting: Timer | undefined;
  let doubtingAt = 0;
  let pauseMs = doubtMs;

  function start(): void {
    relay ??= startRelay(engine, delivery);
  }
  if (!brief) start();

  function settle(ids: readonly number[]): void {
    for (const id of ids) {
      held.get(id)?.done();
      held.delete(id);
      refused.delete(id);
    }
  }

  function arrived(arrival: Arrival): void {
    // The same pointer twice: one is enough.
    if (held.has(arrival.id)) arrival.done();
    else held.set(arrival.id, { ...arrival, since: performance.now() });
    // One that comes again is no news.
    if (!refused.has(arrival.id)) pauseMs = doubtMs;
    doubtIn(pauseMs);
  }

  function doubtIn(ms: number): void {
    const at = performance.now() + ms;
    if (doubting && doubtingAt <= at) return;
    clearTimeout(doubting);
    doubtingAt = at;
    doubting = setTimeout(doubt, ms);
  }

  /** Whoever is handed the same one again and again has no use for it, and does not look at it as often. */
  const holdOf = (id: number) => Math.min(holdMs * 2 ** (refused.get(id) ?? 0), longestMs);

  /** Pointers that nobody took: most were taken by somebody who did not need them. The database knows. */
  async function doubt(): Promise<void> {
    doubting = undefined;
    const now = performance.now();
    const ids = [...held].filter(([, { since }]) => now - since >= doubtMs - 1).map(([id]) => id);
    try {
      const there = ids.length ? new Set(await engine.read((tx) => stillThere(tx, ids))) : new Set();
      settle(ids.filter((id) => !there.has(id)));
    } catch {
      // The database is away: they wait here with everybody else.
    }
    let next = Number.POSITIVE_INFINITY;
    for (const [id, { since, back }] of held) {
      const left = since + holdOf(id) - now;
      if (left > 0) {
        next = Math.min(next, left);
        continue;
      }
      held.delete(id);
      refuse(id);
      back();
    }
    pauseMs = Math.min(pauseMs * 2, longestMs);
    if (held.size) doubtIn(Math.max(doubtMs, Math.min(pauseMs, next)));
  }

  function refuse(id: number): void {
    const times = (refused.get(id) ?? 0) + 1;
    refused.delete(id); // so that the oldest come first
    refused.set(id, times);
    if (refused.size > memory) refused.delete(refused.keys().next().value!);
  }

  function mail(agent: string): Subscription {
    start();
    const ended = new AbortController();
    const late = new Set<Timer>();
    const { ring, subscription } = bell(() => {
      ended.abort();
      leave(agent, ring);
      hints.close();
      for (const timer of late) clearTimeout(timer);
    });
    const hints = engine.subscribe([agentTopic(agent)]);
    enter(agent, ring);
    void (async () => {
      while (!ended.signal.aborted) {
        await hints.next({ signal: ended.signal });
        if (ended.signal.aborted) return;
        if (!delivery.up()) {
          ring();
          continue;
        }
        const timer = setTimeout(() => {
          late.delete(timer);
          ring();
        }, headStartMs);
        late.add(timer);
      }
    })().catch(ring); // whoever waits reads then, and is told what is wrong
    return subscription;
  }

  /** Of several who wait here for the same mail all look; the database gives it to one. */
  function enter(agent: string, ring: () => void): void {
    const box = boxes.get(agent);
    if (box) return void box.rings.add(ring);
    const rings = new Set([ring]);
    const stop = delivery.get(agent, (arrival) => {
      arrived(arrival);
      for (const each of rings) each();
    });
    boxes.set(agent, { rings, stop });
  }

  function leave(agent: string, ring: () => void): void {
    const box = boxes.get(agent)!;
    box.rings.delete(ring);
    if (box.rings.size) return;
    boxes.delete(agent);
    box.stop();
  }

  return {
    ...engine,
    async write(work, options) {
      let pointers: Pointer[] = [];
      let taken: number[] = [];
      const value = await engine.write((tx) => {
        pointers = [];
        taken = [];
        return work({
          ...tx,
          carry: (pointer) => pointers.push(pointer),
          taken: (ids) => taken.push(...ids),
        });
      }, options);
      settle(taken);
      relay?.push(pointers);
      return value;
    },
    mail,
    async close() {
      clearTimeout(doubting);
      await relay?.close();
      for (const { back } of held.values()) back();
      await delivery.close();
      await engine.close();
    },
  };
}
