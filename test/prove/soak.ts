/**
 * The campaign `soak`: agents at half load on a bus with retention, for as long as it is given. What a hub needs must stay
 * flat: memory, descriptors, the database. `npm run prove -- soak --minutes 60 [--engine E] [--report FILE]`.
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { parseArgs } from "node:util";
import { Inbox } from "../../src/sdk/sdk.ts";
import { randomOf } from "../support/random.ts";
import { type Bed, makeBed } from "./attack/bed.ts";
import type { Hub } from "./attack/hubs.ts";
import { administer, type EngineName, engines, serversOf } from "./attack/servers.ts";
import { readHistory } from "./check/history.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "60" },
    engine: { type: "string", default: "sqlite" },
    seed: { type: "string", default: "1" },
    report: { type: "string" },
  },
});
const minutes = Number(values.minutes);
const engine = values.engine as EngineName;
if (!(minutes > 0 && engines.includes(engine))) {
  console.error(`usage: npm run prove -- soak [--minutes N] [--engine ${engines.join("|")}] [--report FILE]`);
  process.exit(2);
}

export interface Sample {
  /** Seconds since the start. */
  at: number;
  /** Of both hubs. */
  memoryMb: number;
  descriptors: number;
  databaseMb: number;
}

/** Half of what the agents would do without a rest, as measured with `attack --nemeses=`. */
const restMs = 25;
const kept = 2000;
/** How much more the last quarter may need than the second: the first is the start. */
const growth = 1.2;
const samplesKept = 60;

const servers = serversOf();
const random = randomOf(Number(values.seed));
const bed = await makeBed({ engine, servers, random, needs: {}, killCalls: 0 });
for (const surface of ["rest", "sdk-hub"] as const)
  bed.startAgents(surface, ["producer", "producer", "consumer", "consumer", "worker", "reader"], restMs);
const inbox = await Inbox.open(bed.place.hubs[0]!, { agent: "keeper-of-limits" });
await inbox.retention.set({ kind: "all", count: kept });

function usedBy(hub: Hub): { memoryMb: number; descriptors: number } {
  const status = readFileSync(`/proc/${hub.pid()}/status`, "utf8");
  return {
    memoryMb: Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1024,
    descriptors: readdirSync(`/proc/${hub.pid()}/fd`).length,
  };
}

async function databaseMb({ place }: Bed): Promise<number> {
  if (engine !== "sqlite") {
    const [row] = await administer(
      place.db,
      (sql) => sql`select pg_database_size(current_database()) as size`,
    );
    return Number(row!.size) / 2 ** 20;
  }
  const folder = dirname(place.db);
  const files = readdirSync(folder).filter((name) => name.startsWith("coord.db"));
  const sizes = files.map((name) => statSync(`${folder}/${name}`, { throwIfNoEntry: false }));
  return sizes.reduce((sum, stat) => sum + (stat?.isFile() ? stat.size : 0), 0) / 2 ** 20;
}

const started = performance.now();
const samples: Sample[] = [];
const passed = () => (performance.now() - started) / 1000;
while (passed() < minutes * 60) {
  await Bun.sleep(Math.min(10_000, (minutes * 60_000) / samplesKept));
  await inbox.retention.apply({});
  const [one, other] = bed.hubs.map(usedBy);
  samples.push({
    at: Math.round(passed()),
    memoryMb: Math.round(one!.memoryMb + other!.memoryMb),
    descriptors: one!.descriptors + other!.descriptors,
    databaseMb: Number((await databaseMb(bed)).toFixed(1)),
  });
  const { at, ...now } = samples.at(-1)!;
  if (samples.length % 6 === 0) console.log(`${at} s: ${JSON.stringify(now)}`);
}
await Promise.all(bed.agents.map((agents) => agents.leave()));
const calls = readHistory(bed.files).ops.length;
await inbox.close();
await bed[Symbol.asyncDispose]();
await servers.stop();

const mean = (part: readonly Sample[], what: keyof Sample) =>
  part.reduce((sum, sample) => sum + sample[what], 0) / Math.max(1, part.length);
const quarter = Math.floor(samples.length / 4);
const [second, last] = [samples.slice(quarter, 2 * quarter), samples.slice(-quarter)];
const grown = (["memoryMb", "descriptors", "databaseMb"] as const).filter(
  (what) => mean(last, what) > growth * mean(second, what) + 1,
);
const step = Math.max(1, Math.floor(samples.length / samplesKept));
const shown = samples.filter((_, index) => index % step === 0);
if (values.report)
  writeFileSync(
    values.report,
    `${JSON.stringify({ engine, minutes, calls, kept, samples: shown }, null, 2)}\n`,
  );
console.log(
  `soak: ${minutes} minutes on ${engine}, ${calls} calls, ${grown.length ? `grows: ${grown.join(", ")}` : "nothing grows"}`,
);
process.exit(grown.length ? 1 : 0);
