/**
 * `contender.ts KIND ADDRESS …`: one contender in a process of its own. Is told what to do, with how many clients and for how
 * long; each client makes its next call once its last is answered. Tells calls a second and how long they took.
 */
import type { Contender } from "../contenders/contender.ts";
import type { Asked } from "../support/contender.ts";
import { percentile } from "../support/figures.ts";
import type { Load } from "../support/load.ts";

const kinds = {
  floor: () => import("../contenders/floor.ts"),
  inbox: () => import("../contenders/inbox.ts"),
  hub: () => import("../contenders/hub.ts"),
  "pg-boss": () => import("../contenders/pg-boss.ts"),
  "graphile-worker": () => import("../contenders/graphile-worker.ts"),
  bullmq: () => import("../contenders/bullmq.ts"),
  "redis-streams": () => import("../contenders/redis-streams.ts"),
  nats: () => import("../contenders/nats.ts"),
  plainjob: () => import("../contenders/plainjob.ts"),
};

async function measure(contender: Contender, { work, clients, warmUpMs, forMs }: Asked): Promise<Load> {
  const started = performance.now() + warmUpMs;
  const end = started + forMs;
  const rounds: number[] = [];
  const tell = (roundMs: number) => {
    const now = performance.now();
    if (now >= started && now < end) rounds.push(roundMs);
  };
  const loop = contender.loops?.[work];
  if (loop) {
    const stop = await loop(clients, tell);
    await Bun.sleep(end - performance.now());
    await stop();
  } else {
    const call = contender.calls[work]!;
    await Promise.all(
      Array.from({ length: clients }, async (_, client) => {
        for (let before = performance.now(); before < end; ) {
          await call(client);
          const after = performance.now();
          tell(after - before);
          before = after;
        }
      }),
    );
  }
  const [p50, p99] = [0.5, 0.99].map((share) => percentile(rounds, share)) as [number, number];
  return { perSecond: rounds.length / (forMs / 1000), p50, p99 };
}

const [kind, ...addresses] = process.argv.slice(2) as [keyof typeof kinds, string, ...string[]];
const { open } = await kinds[kind]();
const contender = await open(...(addresses as [string]));
process.on("message", async (asked: Asked) => {
  await contender.prepare?.(asked.work, asked.clients, asked.stock);
  process.send!(await measure(contender, asked));
});
process.send!("ready");
