/**
 * [G3] RabbitMQ as the carrier. One connection per process, with one channel to publish on (with confirms) and one
 * that the consumers of all its agents share. An agent has a durable queue from the first time a process waits for
 * its mail; before that nobody needs to be told, and a pointer without a queue is dropped. Whatever breaks is created
 * again: the connection by the driver, channels and consumers here.
 */
import type { Channel, Connection } from "rabbitmq-client";
import type { Delivery, Pointer } from "../delivery.ts";
import type { BrokerAddress } from "./address.ts";
import { Consumers } from "./consumers.ts";
import { driver } from "./driver.ts";
import { declareDead, type Names, namesOf } from "./queues.ts";

const confirmMs = 5000;
const againMs = 200;

type Complain = (message: string) => void;

/** `complain` is called once each time the broker becomes unavailable. */
export function rabbitDelivery(
  address: BrokerAddress,
  busId: () => Promise<string>,
  complain: Complain = () => {},
): Delivery {
  const consumers = new Consumers();
  let connection: Connection | undefined;
  let names: Names | undefined;
  let publishing: Channel | undefined;
  let closed = false;
  let preparing = false;
  let onUp = () => {};

  const up = () => connection?.ready === true && consumers.active && publishing?.active === true;

  /** Whenever there is a connection and something of ours is missing on it. */
  function prepare(): void {
    if (preparing || closed) return;
    preparing = true;
    openChannels()
      .then(onUp)
      .catch(() => setTimeout(prepare, againMs))
      .finally(() => {
        preparing = false;
      });
  }

  async function openChannels(): Promise<void> {
    names ??= namesOf(await busId(), address.quorum);
    if (!publishing?.active) {
      const channel = await acquire();
      await channel.confirmSelect();
      await declareDead(channel, names);
      publishing = channel;
    }
    if (!consumers.active) await consumers.begin(await acquire(), names);
  }

  async function acquire(): Promise<Channel> {
    const channel = await connection!.acquire({ emitErrorsFromChannel: true });
    channel.on("error", () => {}); // reported by its end
    channel.on("close", () => setTimeout(prepare, againMs));
    return channel;
  }

  return {
    up,

    connect(whenUp) {
      onUp = whenUp;
      connection = connect(address, complain);
      connection.on("connection", () => {
        consumers.forgetRefusals();
        prepare();
      });
    },

    async put(pointers) {
      const channel = publishing;
      if (!channel || !up()) throw new Error("the broker is unreachable");
      await within(confirmMs, Promise.all(pointers.map((pointer) => publish(channel, names!, pointer))));
    },

    get: (agent, take) => consumers.enter(agent, take),

    async cleanup(agent) {
      if (up()) await publishing!.queueDelete({ queue: names!.queue(agent) });
    },

    async close() {
      closed = true;
      consumers.stopTimers();
      const leave = () =>
        Promise.all([consumers.close(), publishing?.close()]).then(() => connection?.close());
      // Closing would wait for a channel that is still being opened.
      if (!preparing) await within(1000, leave()).catch(() => {});
      connection?.unsafeDestroy();
    },
  };
}

const publish = (channel: Channel, names: Names, pointer: Pointer) =>
  channel.basicPublish(envelope(names, pointer), { id: pointer.id, agent: pointer.agent });

function connect({ url, hosts, shown }: BrokerAddress, complain: Complain): Connection {
  const connection = new (driver().Connection)({
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
  // It reconnects automatically; meanwhile the database delivers. Reported once each time.
  let told = false;
  connection.on("connection", () => {
    told = false;
  });
  connection.on("error", (error) => {
    if (told) return;
    told = true;
    complain(
      `the broker ${shown} cannot be reached (${String(error?.message ?? error)}): the database delivers until it can`,
    );
  });
  return connection;
}

/** Written to disk, and expires with its message. */
const envelope = (names: Names, { id, agent, expiresInMs }: Pointer) => ({
  routingKey: names.queue(agent),
  durable: true,
  messageId: String(id),
  ...(expiresInMs !== null && { expiration: String(Math.max(0, Math.ceil(expiresInMs))) }),
});

function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: Timer | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
