/** graphile-worker: its own loop takes a job, runs the task, which does nothing, and deletes the job. */
import { EventEmitter } from "node:events";
import { peer } from "../support/peers.ts";
import { type Contender, connections, shelf, text } from "./contender.ts";
import { tidy } from "./stock.ts";

interface Utils {
  migrate(): Promise<void>;
  addJob(task: string, payload: object): Promise<unknown>;
  addJobs(jobs: { identifier: string; payload: object }[]): Promise<unknown>;
}
interface Library {
  Logger: new (factory: () => () => void) => object;
  makeWorkerUtils(options: object): Promise<Utils>;
  run(options: object): Promise<{ stop(): Promise<void> }>;
}

const task = "work";
const atOnce = 5000;

export async function open(url: string): Promise<Contender> {
  const { Logger, makeWorkerUtils, run } = await peer<Library>("graphile-worker");
  const shared = {
    connectionString: url,
    maxPoolSize: connections,
    logger: new Logger(() => () => {}),
    noHandleSignals: true,
  };
  const utils = await makeWorkerUtils(shared);
  await utils.migrate();
  const { taken, refill } = shelf();
  return {
    calls: { send: () => utils.addJob(task, { text }) },
    loops: {
      /** A round is from one job of a worker to its next; it does not wait for the deletion of the first. */
      async claim(clients, tell) {
        const events = new EventEmitter();
        const last = new Map<string, number>();
        events.on("job:start", ({ worker }: { worker: { workerId: string } }) => {
          const now = performance.now();
          const before = last.get(worker.workerId);
          if (before !== undefined) tell(now - before);
          last.set(worker.workerId, now);
          taken(task);
        });
        events.on("worker:getJob:empty", () => console.error("graphile-worker has nothing left"));
        const runner = await run({
          ...shared,
          concurrency: clients,
          events,
          taskList: { [task]: async () => {} },
        });
        return () => runner.stop();
      },
    },
    async prepare(work, _, count) {
      if (work !== "claim") return;
      await refill(task, count, async (missing) => {
        for (let left = missing; left > 0; left -= atOnce)
          await utils.addJobs(
            Array.from({ length: Math.min(left, atOnce) }, () => ({ identifier: task, payload: { text } })),
          );
      });
      await tidy(url);
    },
  };
}
