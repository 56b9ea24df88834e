/** BullMQ on Redis: finishing a job takes the next one in the same round trip, as its own worker does. */
import { peer } from "../support/peers.ts";
import { type Contender, shelf, text } from "./contender.ts";

interface Job {
  /** With `next` true the answer is the next job: its data and its id. */
  moveToCompleted(result: null, token: string, next: boolean): Promise<[object?, string?] | undefined>;
}
interface Connection {
  duplicate(): Connection;
}
interface Queue {
  add(name: string, data: object): Promise<unknown>;
  addBulk(jobs: { name: string; data: object }[]): Promise<unknown>;
}
interface Worker {
  waitUntilReady(): Promise<unknown>;
  getNextJob(token: string, options: { block: boolean }): Promise<Job | undefined>;
}
interface Library {
  Queue: new (name: string, options: object) => Queue;
  Worker: new (name: string, processor: undefined, options: object) => Worker;
  Job: { fromJSON(worker: Worker, data: object, id: string): Job };
}

const name = "jobs";
const token = "bench";
const atOnce = 2000;

export async function open(url: string): Promise<Contender> {
  const { Job, Queue, Worker } = await peer<Library>("bullmq");
  const { Redis } = await peer<{ Redis: new (url: string, options: object) => Connection }>("ioredis");
  const connection = new Redis(url, { maxRetriesPerRequest: null });
  // What is done is not kept: it would only fill the memory.
  const queue = new Queue(name, { connection, defaultJobOptions: { removeOnComplete: true } });
  // A job in hand waits while the others take their turns: longer than the usual half minute, where there are many.
  const worker = new Worker(name, undefined, { connection: connection.duplicate(), lockDuration: 600_000 });
  await worker.waitUntilReady();
  const { taken, refill } = shelf();
  const inHand = new Map<number, Job>();
  return {
    calls: {
      send: () => queue.add("work", { text }),
      async claim(client) {
        const job = inHand.get(client) ?? (await worker.getNextJob(token, { block: false }));
        if (!job) throw new Error("BullMQ has nothing left");
        inHand.delete(client);
        taken(name);
        const [data, id] = (await job.moveToCompleted(null, token, true)) ?? [];
        if (data && id) inHand.set(client, Job.fromJSON(worker, data, id));
      },
    },
    async prepare(work, clients, count) {
      if (work !== "claim") return;
      // Those in hand wait for the clients they belong to.
      await refill(name, count + clients + inHand.size, async (missing) => {
        for (let left = missing; left > 0; left -= atOnce)
          await queue.addBulk(
            Array.from({ length: Math.min(left, atOnce) }, () => ({ name: "work", data: { text } })),
          );
      });
    },
  };
}
