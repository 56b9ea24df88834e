/**
 * [G3] RabbitMQ as the carrier. One connection a process, with one channel to publish on (with confirms) and one that
 * all its agents' consumers share. An agent has a durable queue from the first time somebody waits for its mail; before that
 * nobody needs to be told, and a pointer without a queue is dropped. Whatever breaks is made anew: the connection by the
 * driver, channels and consumers here.
 */
import type { Channel, Connection } from "rabbitmq-client";
import type { Arrival, Delivery, Pointer } from "../delivery.ts";
import type { BrokerAddress } from "./address.ts";
import { driver } from "./driver.ts";
import { declareDead, declareQueue, type Names, namesOf } from "./queues.ts";

/** Pointers of one agent that this process may hold at a time. */
const prefetch = 200;
const confirmMs = 5000;
const againMs = 200;
/** A consumer outlives its last reader by so long: the next one is often the same agent. */
const lingerMs = 2000;

/** Its queue is not ours to use: somebody has made it otherwise, or the user may not. The database delivers to that agent. */
const refusals = ["PRECONDITION_FAILED", "ACCESS_REFUSED", "RESOURCE_LOCKED"];

interface Consumer {
  /** The last reader's, also for the while that it outlives it: what comes then is held, not passed to and fro. */
  take(arrival: Arrival): void;
  tag?: string;
  leaving?: Timer;
}

export function rabbitDelivery(
  { url, hosts, quorum }: BrokerAddress,
  busId: () => Promise<string>,
): Delivery {
  const consumers = new Map<string, Consumer>();
  const refused = new Set<string>();
  let connection: Connection | undefined;
  let names: Names | undefined;
  let consuming: Channel | undefined;
  let publishing: Channel | undefined;
  let closed = false;
  let preparing = false;
  let onUp = () => {};

  const up = () => connection?.ready === true && consuming?.active === true && publishing?.active === true;

  /** Whenever there is a connection and something of ours is missing on it. */
  function prepare(): void {
    if (preparing || closed) return;
    preparing = true;
    open()
      .then(onUp)
      .catch(() => setTimeout(prepare, againMs))
      .finally(() => {
        preparing = false;
      });
  }

  async function open(): Promise<void> {
    names ??= namesOf(await busId(), quorum);
    if (!publishing?.active) {
      const channel = await acquire();
      await channel.confirmSelect();
      await declareDead(channel, names);
      publishing = channel;
    }
    if (consuming?.active) return;
    const channel = await acquire();
    await channel.basicQos({ prefetchCount: prefetch });
    channel.on("basic.cancel", (tag) => void restart(tag));
    for (const consumer of consumers.values()) consumer.tag = undefined;
    consuming = channel;
    await Promise.all([...consumers.keys()].map(consume));
  }

  async function acquire(): Promise<Channel> {
    const channel = await connection!.acquire({ emitErrorsFromChannel: true });
    channel.on("error", () => {}); // its closing says it
    channel.on("close", () => setTimeout(prepare, againMs));
    return channel;
  }

  async function consume(agent: string): Promise<void> {
    const channel = consuming;
    const consumer = consumers.get(agent);
    if (!channel?.active || !consumer || consumer.tag !== undefined || refused.has(agent)) return;
    consumer.tag = ""; // under way
    try {
      const queue = await declareQueue(channel, names!, agent);
      if (consumers.get(agent) !== consumer) return; // its last reader has left meanwhile
      const { consumerTag } = await channel.basicConsume({ queue, noAck: false }, (message) => {
        const id = idIn(message.body, agent);
        const { deliveryTag } = message;
        // A stranger's: it goes to the dead letters, and blocks nobody.
        if (id === undefined) return quietly(() => channel.basicNack({ deliveryTag, requeue: false }));
        const arrival = {
          id,
          done: () => quietly(() => channel.basicAck({ deliveryTag })),
          back: () => quietly(() => channel.basicNack({ deliveryTag, requeue: true })),
        };
        if (consumers.get(agent) === consumer) consumer.take(arrival);
        else arrival.back();
      });
      consumer.tag = consumerTag;
      if (consumers.get(agent) !== consumer) await channel.basicCancel(consumerTag);
    } catch (error) {
      if (refusals.includes((error as { code?: string }).code ?? "")) refused.add(agent);
      consumer.tag = undefined; // the channel's closing begins everything anew
    }
  }

  /** The queue was deleted under us. */
  async function restart(tag: string): Promise<void> {
    for (const [agent, consumer] of consumers)
      if (consumer.tag === tag) {
        consumer.tag = undefined;
        await consume(agent);
      }
  }

  function leave(agent: string, consumer: Consumer): void {
    consumers.delete(agent);
    const { tag } = consumer;
    if (tag && consuming?.active) consuming.basicCancel(tag).catch(() => {});
  }

  return {
    up,

    connect(whenUp) {
      onUp = whenUp;
      connection = new (driver().Connection)({
        url,
        hosts,
        connectionName: "restante",
        heartbeat: 10,
        retryLow: againMs,
        retryHigh: 2000,
        acquireTimeout: confirmMs,
        connectionTimeout: confirmMs,
        noDelay: true,
      });
      connection.on("error", () => {}); // it tries again by itself; meanwhile the database delivers
      connection.on("connection", () => {
        refused.clear();
        prepare();
      });
    },

    async put(pointers) {
      const channel = publishing;
      if (!channel || !up()) throw new Error("the broker is away");
      await within(
        confirmMs,
        Promise.all(
          pointers.map((pointer) =>
            channel.basicPublish(envelope(names!, pointer), { id: pointer.id, agent: pointer.agent }),
          ),
        ),
      );
    },

    get(agent, take) {
      const consumer = consumers.get(agent) ?? { take };
      clearTimeout(consumer.leaving);
      consumers.set(agent, consumer);
      consumer.take = take;
      void consume(agent);
      return () => {
        clearTimeout(consumer.leaving);
        consumer.leaving = setTimeout(() => leave(agent, consumer), lingerMs);
      };
    },

    async cleanup(agent) {
      if (up()) await publishing!.queueDelete({ queue: names!.queue(agent) });
    },

    async close() {
      closed = true;
      for (const { leaving } of consumers.values()) clearTimeout(leaving);
      const say = () =>
        Promise.all([consuming?.close(), publishing?.close()]).then(() => connection?.close());
      // A channel that is still being opened would be waited for.
      if (!preparing) await within(1000, say()).catch(() => {});
      connection?.unsafeDestroy();
    },
  };
}

/** Written to disk, and gone with its message. */
const envelope = (names: Names, { id, agent, expiresInMs }: Pointer) => ({
  routingKey: names.queue(agent),
  durable: true,
  messageId: String(id),
  ...(expiresInMs !== null && { expiration: String(Math.max(0, Math.ceil(expiresInMs))) }),
});

function idIn(body: unknown, agent: string): number | undefined {
  const { id, agent: named } = (body ?? {}) as { id?: unknown; agent?: unknown };
  return Number.isSafeInteger(id) && named === agent ? (id as number) : undefined;
}

/** On a closed channel there is nothing to say: the broker has taken everything back. */
function quietly(say: () => void): void {
  try {
    say();
  } catch {
    // As above.
  }
}

function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: Timer | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
