/** NATS JetStream: a stream in a file that is a queue of work, and one consumer for all clients. An ack is confirmed. */
import { peer } from "../support/peers.ts";
import { type Contender, shelf, text } from "./contender.ts";

interface Message {
  ackAck(): Promise<boolean>;
}
interface Consumer {
  next(options: { expires: number }): Promise<Message | null>;
}
interface JetStream {
  publish(subject: string, data: Uint8Array): Promise<unknown>;
  consumers: { get(stream: string, name: string): Promise<Consumer> };
}
interface Manager {
  streams: { add(settings: object): Promise<unknown> };
  consumers: { add(stream: string, settings: object): Promise<unknown> };
}
interface Connection {
  jetstream(): JetStream;
  jetstreamManager(): Promise<Manager>;
}

const data = new TextEncoder().encode(text);
const atOnce = 500;

export async function open(url: string): Promise<Contender> {
  const { connect } = await peer<{ connect(options: object): Promise<Connection> }>("nats");
  const connection = await connect({ servers: url });
  const manager = await connection.jetstreamManager();
  const queue = { storage: "file", retention: "workqueue" };
  await manager.streams.add({ name: "JOBS", subjects: ["jobs"], ...queue });
  await manager.streams.add({ name: "SENT", subjects: ["sent"], ...queue });
  await manager.consumers.add("JOBS", { durable_name: "workers", ack_policy: "explicit" });
  const stream = connection.jetstream();
  const consumer = await stream.consumers.get("JOBS", "workers");
  const { taken, refill } = shelf();
  return {
    calls: {
      send: () => stream.publish("sent", data),
      async claim() {
        const job = await consumer.next({ expires: 1000 });
        if (!job) throw new Error("the stream has nothing left");
        taken("jobs");
        await job.ackAck();
      },
    },
    async prepare(work, _, count) {
      if (work !== "claim") return;
      await refill("jobs", count, async (missing) => {
        for (let left = missing; left > 0; left -= atOnce)
          await Promise.all(
            Array.from({ length: Math.min(left, atOnce) }, () => stream.publish("jobs", data)),
          );
      });
    },
  };
}
