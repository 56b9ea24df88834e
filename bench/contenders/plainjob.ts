/** plainjob on SQLite, in the clients' process as ours is, and as durable (`synchronous=full`; its own setting is `normal`). */
import { Database } from "bun:sqlite";
import { peer } from "../support/peers.ts";
import { type Contender, shelf, text } from "./contender.ts";

interface Queue {
  add(type: string, data: object): { id: number };
  addMany(type: string, data: object[]): unknown;
  getAndMarkJobAsProcessing(type: string): { id: number } | undefined;
  markJobAsDone(id: number): void;
}
interface Library {
  bun(database: Database): object;
  defineQueue(options: object): Queue;
}

const type = "work";
const silent = { error() {}, warn() {}, info() {}, debug() {} };

export async function open(path: string): Promise<Contender> {
  const { bun, defineQueue } = await peer<Library>("plainjob");
  const db = new Database(path);
  const queue = defineQueue({ connection: bun(db), logger: silent });
  db.run("pragma synchronous = full");
  const { taken, refill } = shelf();
  return {
    calls: {
      send: async () => queue.add(type, { text }),
      async claim() {
        const job = queue.getAndMarkJobAsProcessing(type);
        if (!job) throw new Error("plainjob has nothing left");
        taken(type);
        queue.markJobAsDone(job.id);
      },
    },
    async prepare(work, _, count) {
      if (work !== "claim") return;
      await refill(type, count, async (missing) =>
        queue.addMany(
          type,
          Array.from({ length: missing }, () => ({ text })),
        ),
      );
    },
  };
}
