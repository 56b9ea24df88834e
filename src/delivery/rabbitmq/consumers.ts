/** The agents that this process waits for: one consumer each, all on one channel, created again with it. */
import type { AsyncMessage, Channel } from "rabbitmq-client";
import type { Arrival } from "../delivery.ts";
import { declareQueue, type Names } from "./queues.ts";

/** Pointers of one agent that this process may hold at a time. */
const prefetch = 200;
/** A consumer stays this long after its last reader: the next one is often the same agent. */
const lingerMs = 2000;

/**
 * Its queue cannot be used: it was created with other settings, or the user has no permission. The database delivers
 * to that agent.
 */
const refusals = ["PRECONDITION_FAILED", "ACCESS_REFUSED", "RESOURCE_LOCKED"];

interface Consumer {
  /** The last reader's, which it outlives for a while: pointers that arrive then are held, not returned again and again. */
  take(arrival: Arrival): void;
  tag?: string;
  leaving?: Timer;
}

export class Consumers {
  readonly #consumers = new Map<string, Consumer>();
  readonly #refused = new Set<string>();
  #channel: Channel | undefined;
  #names: Names | undefined;

  get active(): boolean {
    return this.#channel?.active === true;
  }

  /** On a new channel all consumers are created again. */
  async begin(channel: Channel, names: Names): Promise<void> {
    await channel.basicQos({ prefetchCount: prefetch });
    channel.on("basic.cancel", (tag) => void this.#restart(tag));
    for (const consumer of this.#consumers.values()) consumer.tag = undefined;
    this.#channel = channel;
    this.#names = names;
    await Promise.all([...this.#consumers.keys()].map((agent) => this.#consume(agent)));
  }

  /** On a new connection, what was refused before may be allowed. */
  forgetRefusals(): void {
    this.#refused.clear();
  }

  enter(agent: string, take: (arrival: Arrival) => void): () => void {
    const consumer = this.#consumers.get(agent) ?? { take };
    clearTimeout(consumer.leaving);
    this.#consumers.set(agent, consumer);
    consumer.take = take;
    void this.#consume(agent);
    return () => {
      clearTimeout(consumer.leaving);
      consumer.leaving = setTimeout(() => this.#leave(agent, consumer), lingerMs);
    };
  }

  stopTimers(): void {
    for (const { leaving } of this.#consumers.values()) clearTimeout(leaving);
  }

  async close(): Promise<void> {
    await this.#channel?.close();
  }

  async #consume(agent: string): Promise<void> {
    const channel = this.#channel;
    const consumer = this.#consumers.get(agent);
    if (!channel?.active || !consumer || consumer.tag !== undefined || this.#refused.has(agent)) return;
    const isWanted = () => this.#consumers.get(agent) === consumer;
    consumer.tag = ""; // in progress
    try {
      const queue = await declareQueue(channel, this.#names!, agent);
      if (!isWanted()) return; // its last reader has left meanwhile
      const { consumerTag } = await channel.basicConsume({ queue, noAck: false }, (message) => {
        const arrival = arrivalOf(message, agent, channel);
        if (!arrival) return;
        if (isWanted()) consumer.take(arrival);
        else arrival.back();
      });
      consumer.tag = consumerTag;
      if (!isWanted()) await channel.basicCancel(consumerTag);
    } catch (error) {
      if (refusals.includes((error as { code?: string }).code ?? "")) this.#refused.add(agent);
      consumer.tag = undefined; // the end of the channel starts everything again
    }
  }

  /** The queue was deleted under us. */
  async #restart(tag: string): Promise<void> {
    for (const [agent, consumer] of this.#consumers)
      if (consumer.tag === tag) {
        consumer.tag = undefined;
        await this.#consume(agent);
      }
  }

  #leave(agent: string, { tag }: Consumer): void {
    this.#consumers.delete(agent);
    if (tag && this.active) this.#channel!.basicCancel(tag).catch(() => {});
  }
}

/** Undefined for a message that is not ours: it goes to the dead letters, and blocks nothing. */
function arrivalOf(
  { body, deliveryTag }: AsyncMessage,
  agent: string,
  channel: Channel,
): Arrival | undefined {
  const id = idIn(body, agent);
  if (id === undefined) return void quietly(() => channel.basicNack({ deliveryTag, requeue: false }));
  return {
    id,
    done: () => quietly(() => channel.basicAck({ deliveryTag })),
    back: () => quietly(() => channel.basicNack({ deliveryTag, requeue: true })),
  };
}

function idIn(body: unknown, agent: string): number | undefined {
  const { id, agent: named } = (body ?? {}) as { id?: unknown; agent?: unknown };
  return Number.isSafeInteger(id) && named === agent ? (id as number) : undefined;
}

/** On a closed channel there is nothing to settle: the broker has taken everything back. */
function quietly(settle: () => void): void {
  try {
    settle();
  } catch {
    // As above.
  }
}
