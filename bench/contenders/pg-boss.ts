/** pg-boss: a job is a row that `fetch` marks as taken and `complete` as done. */
import { peer } from "../support/peers.ts";
import { type Contender, connections, shelf, text } from "./contender.ts";
import { tidy } from "./stock.ts";

interface Boss {
  on(event: "error", listener: (error: Error) => void): void;
  start(): Promise<unknown>;
  createQueue(name: string): Promise<void>;
  send(queue: string, data: object): Promise<string | null>;
  insert(queue: string, jobs: { data: object }[]): Promise<unknown>;
  fetch(queue: string): Promise<{ id: string }[]>;
  complete(queue: string, id: string): Promise<unknown>;
}
interface Library {
  PgBoss: new (options: { connectionString: string; max: number }) => Boss;
}

const queue = "jobs";
const atOnce = 5000;

export async function open(url: string): Promise<Contender> {
  const { PgBoss } = await peer<Library>("pg-boss");
  const boss = new PgBoss({ connectionString: url, max: connections });
  boss.on("error", (error) => console.error(error));
  await boss.start();
  await boss.createQueue(queue);
  const { taken, refill } = shelf();
  return {
    calls: {
      send: () => boss.send(queue, { text }),
      async claim() {
        const [job] = await boss.fetch(queue);
        if (!job) throw new Error("pg-boss has nothing left");
        taken(queue);
        await boss.complete(queue, job.id);
      },
    },
    async prepare(work, _, count) {
      if (work !== "claim") return;
      await refill(queue, count, async (missing) => {
        for (let left = missing; left > 0; left -= atOnce)
          await boss.insert(
            queue,
            Array.from({ length: Math.min(left, atOnce) }, () => ({ data: { text } })),
          );
      });
      await tidy(url);
    },
  };
}
