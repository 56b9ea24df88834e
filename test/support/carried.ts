/**
 * Buses whose mail RabbitMQ carries, on a store of a test's own, and what lies at the broker and in the outbox, seen past
 * the program. Where a server is missing everything here is skipped, and says so.
 */
import { describe } from "bun:test";
import { join } from "node:path";
import { type Channel, Connection, type SyncMessage } from "rabbitmq-client";
import { parseInput } from "../../src/contract/operation.ts";
import { type InputOf, type OutputOf, operationNamed } from "../../src/contract/operations/index.ts";
import { carriedTo } from "../../src/delivery/broker.ts";
import { type Names, namesOf } from "../../src/delivery/rabbitmq/queues.ts";
import { openEngine } from "../../src/engines/registry.ts";
import { Bell } from "../../src/engines/subscription.ts";
import { type EmbeddedInbox, type Inbox, type InboxOptions, openInbox } from "../../src/inbox/inbox.ts";
import { handed } from "../../src/waiting/handed.ts";
import { mailboxReceive } from "../../src/waiting/mailbox-receive.ts";
import { temporaryFolder } from "./folder.ts";
import { freshDatabase } from "./fresh-bus.ts";
import { administrator, postgresUrl, temporarySchema } from "./postgres.ts";
import { rows } from "./stored.ts";
import { until } from "./until.ts";

/** The broker that all tests share: nobody may hurt it. */
export const sharedBroker = process.env.TEST_RABBITMQ ?? "";

/** Once for SQLite and once for Postgres; all at the same time, since most of the time everybody waits for a broker. */
export function deliverySuite(name: string, body: (store: Store) => void): void {
  describe.concurrent.skipIf(isMissing(name)).each(stores)(`${name}, $name`, body);
}

/** One after the other, on both stores together: what is done to the broker is done to all. */
export function brokerSuite(name: string, body: () => void): void {
  describe.skipIf(isMissing(name))(name, body);
}

function isMissing(name: string): boolean {
  const missing = postgresUrl ? (sharedBroker ? undefined : "TEST_RABBITMQ") : "TEST_POSTGRES";
  if (missing) console.warn(`SKIPPED: ${name} with RabbitMQ, for ${missing} names no server`);
  return missing !== undefined;
}

export interface Store {
  name: string;
  /** A bus of its own, carried by that broker. */
  start(broker?: string): Promise<CarriedBus>;
}

export interface CarriedBus {
  location: string;
  /** How its queues are called, and how those that are replicated. */
  names: Names;
  quorum: Names;
  /** One more connection to it, as another process would have. */
  open(options?: InboxOptions): EmbeddedInbox;
  /** One that hears nothing from the database: only a pointer wakes it. */
  deaf(broker?: string): DeafReader;
  /** Whether all such readers sleep. */
  asleep(): boolean;
  /** The numbers of the messages whose pointers are still to be carried. */
  outbox(): Promise<number[]>;
  query<T>(text: string): Promise<T[]>;
  [Symbol.asyncDispose](): Promise<void>;
}

type Receive = "mailbox.receive";

export interface DeafReader {
  receive(input: InputOf<Receive>, signal?: AbortSignal): Promise<OutputOf<Receive>>;
  /** Whether all who wait have found nothing and sleep: from now on only the broker brings them anything. */
  asleep(): boolean;
  close(): Promise<void>;
}

const silent = () => new Bell({ leave() {} });

/** A reader of that bus that hears nothing from the database; without a broker it hears nothing at all. */
export function deafReader(location: string, broker?: string): DeafReader {
  let [waiting, sleeping] = [0, 0];
  const opened = openEngine(location);
  /** Who waits is noted after its first look. */
  const attend = (agent: string) => {
    const leave = opened.attend(agent);
    sleeping++;
    return () => {
      sleeping--;
      leave();
    };
  };
  const engine = { ...opened, subscribe: silent, mail: silent, attend };
  const carried = broker === undefined ? engine : carriedTo(broker, engine, { brief: false });
  return {
    async receive(input, signal) {
      waiting++;
      try {
        const wanted = parseInput(operationNamed("mailbox.receive"), input);
        const { value, confirm } = handed(carried, await mailboxReceive(carried, wanted, { signal }));
        await confirm?.();
        return value;
      } finally {
        waiting--;
      }
    },
    asleep: () => waiting === sleeping,
    close: carried.close,
  };
}

interface Place {
  location: string;
  query<T>(text: string): Promise<T[]>;
  leave(): void;
}

/** So many at a time: each has several connections to the servers. */
let free = 8;
const queueing: (() => void)[] = [];

async function enter(): Promise<void> {
  if (free > 0) free--;
  else await new Promise<void>((resolve) => queueing.push(resolve));
}

function leave(): void {
  const next = queueing.shift();
  if (next) next();
  else free++;
}

async function carriedOn(make: () => Promise<Place>, broker: string): Promise<CarriedBus> {
  await enter();
  const place = await make();
  const { location, query } = place;
  const [bus] = await query<{ bus_id: string }>("select bus_id from bus");
  const opened: { close(): Promise<void> }[] = [];
  const deaf: DeafReader[] = [];
  const kept = <T extends { close(): Promise<void> }>(one: T) => {
    opened.push(one);
    return one;
  };
  return {
    location,
    query,
    names: namesOf(bus!.bus_id, false),
    quorum: namesOf(bus!.bus_id, true),
    open: (options) => kept(openInbox(location, { delivery: broker, ...options })),
    deaf: (other = broker) => {
      const reader = kept(deafReader(location, other));
      deaf.push(reader);
      return reader;
    },
    asleep: () => deaf.every((reader) => reader.asleep()),
    outbox: async () =>
      (await query<{ message_id: number }>("select message_id from outbox order by 1")).map((row) =>
        Number(row.message_id),
      ),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(opened.map((one) => one.close()));
      place.leave();
      leave();
    },
  };
}

async function inFile(): Promise<Place> {
  const folder = temporaryFolder();
  const location = join(folder.path, "coord.db");
  freshDatabase(location);
  return { location, query: async (text) => rows(location, text), leave: folder[Symbol.dispose] };
}

async function onServer(): Promise<Place> {
  const place = await temporarySchema();
  const query = async <T>(text: string): Promise<T[]> => [
    ...((await administrator().begin(async (tx) => {
      await tx.unsafe(`set local search_path to ${place.schema}`);
      return tx.unsafe(text);
    })) as unknown as T[]),
  ];
  return { location: place.url, query, leave: place[Symbol.dispose] };
}

const stores: Store[] = [
  { name: "SQLite", start: (broker = sharedBroker) => carriedOn(inFile, broker) },
  { name: "Postgres", start: (broker = sharedBroker) => carriedOn(onServer, broker) },
];

export interface Buses {
  /** Does the same on each, at the same time. */
  all<T>(work: (bus: CarriedBus) => Promise<T>): Promise<T[]>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** One on each store. */
export async function startBuses(broker: string): Promise<Buses> {
  const started = await Promise.all(
    stores.map(async ({ name, start }) => ({ name, bus: await start(broker) })),
  );
  return {
    all: (work) =>
      Promise.all(
        started.map(async ({ name, bus }) => {
          try {
            return await work(bus);
          } catch (cause) {
            throw new Error(`on ${name}: ${cause}`, { cause });
          }
        }),
      ),
    [Symbol.asyncDispose]: async () => {
      for (const { bus } of started) await bus[Symbol.asyncDispose]();
    },
  };
}

export interface Broker {
  /** How many wait in it and how many read from it; undefined where there is no such queue. */
  queue(name: string): Promise<{ waiting: number; readers: number } | undefined>;
  /** Takes out the oldest. */
  take(name: string): Promise<SyncMessage | undefined>;
  publish(queue: string, body: unknown, contentType?: string): Promise<void>;
  /** One channel to do something else with. */
  channel<T>(use: (channel: Channel) => Promise<T>): Promise<T>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The broker as its driver shows it. */
export async function broker(url = sharedBroker): Promise<Broker> {
  const connection = new Connection({ url, retryLow: 50, retryHigh: 200 });
  connection.on("error", () => {}); // it tries again by itself
  await connection.onConnect(30_000);
  const channel: Broker["channel"] = async (use) => {
    const opened = await connection.acquire({ emitErrorsFromChannel: true });
    opened.on("error", () => {});
    try {
      return await use(opened);
    } finally {
      await opened.close();
    }
  };
  const publisher = connection.createPublisher({ confirm: true });
  return {
    channel,
    queue: (name) =>
      channel((opened) => opened.queueDeclare({ queue: name, passive: true })).then(
        ({ messageCount, consumerCount }) => ({ waiting: messageCount, readers: consumerCount }),
        () => undefined,
      ),
    take: (name) => channel((opened) => opened.basicGet({ queue: name, noAck: true })),
    async publish(queue, body, contentType = "application/json") {
      const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
      await publisher.send({ routingKey: queue, durable: true, contentType }, bytes);
    },
    [Symbol.asyncDispose]: async () => {
      await publisher.close();
      await connection.close();
    },
  };
}

/** A plain message; answers with its number. */
export const send = async (inbox: Inbox, to = "w", message = "x", from = "lead") => {
  const sent = await inbox.call("mailbox.send", { from, to, message });
  return Number(sent.message.messageId.slice("msg_".length));
};
export const ids = (answer: { messages: { id: number }[] }) => answer.messages.map(({ id }) => id);

/** Until so many processes read the agent's queue, and who hears nothing from the database sleeps. */
export const untilRead = (at: Broker, bus: CarriedBus, name = "w", readers = 1) =>
  until(
    `${readers} read the queue of ${name}, and sleep`,
    async () => (await at.queue(bus.names.queue(name)))?.readers === readers && bus.asleep(),
  );

/** Until so many pointers lie in the agent's queue, and nobody reads it. */
export const untilReturned = (at: Broker, bus: CarriedBus, name = "w", count = 1) =>
  until(`${count} pointers lie in the queue of ${name}, unread`, async () => {
    const queue = await at.queue(bus.names.queue(name));
    return queue?.readers === 0 && queue.waiting >= count;
  });

/** Until so many pointers lie there, or more: what was slow to be carried may be carried twice. */
export const untilWaiting = (at: Broker, queue: string, count: number) =>
  until(`${count} pointers lie in ${queue}`, async () => ((await at.queue(queue))?.waiting ?? 0) >= count);

/** The agent's queue, with nobody who reads from it: an agent has one from the first time somebody waits for its mail. */
export async function makeQueue(at: Broker, bus: CarriedBus, name = "w"): Promise<string> {
  const reader = bus.open();
  const queue = bus.names.queue(name);
  await until(`the queue ${queue} is there`, async () => {
    await reader.call("mailbox.receive", { agent: name, timeoutSeconds: 0.05 });
    return at.queue(queue);
  });
  await reader.close();
  await until(`nobody reads ${queue}`, async () => (await at.queue(queue))?.readers === 0);
  return queue;
}

/**
 * What nobody has acked goes back into the queue when its reader goes: then a queue's length tells all. One that
 * was carried twice may have come when its message was collected; whoever waits next acks it.
 */
export async function untilEmpty(at: Broker, bus: CarriedBus, name = "w"): Promise<void> {
  await until(`the queue of ${name} is empty, and nobody reads it`, async () => {
    const queue = await at.queue(bus.names.queue(name));
    if (queue?.readers !== 0) return false;
    if (queue.waiting === 0) return true;
    const next = bus.open();
    await next.call("mailbox.receive", { agent: name, timeoutSeconds: 1 });
    await next.close();
    return false;
  });
}
