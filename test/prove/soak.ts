/**
 * The campaign `soak`: agents at half load on a bus with retention, for as long as it is given. What a hub needs must stay
 * flat: memory, descriptors, the database and its log. `npm run prove -- soak [--minutes 125] [--engine E] [--surfaces A,B]
 * [--report FILE]`. Over `rest` alone an hour is enough: plain HTTP clients make no keys.
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { Inbox } from "../../src/sdk/sdk.ts";
import { randomOf } from "../support/random.ts";
import { type Bed, makeBed } from "./attack/bed.ts";
import type { Hub } from "./attack/hubs.ts";
import { administer, type EngineName, engines, serversOf } from "./attack/servers.ts";
import { readHistory, type Surface } from "./check/history.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "125" },
    engine: { type: "string", default: "sqlite" },
    seed: { type: "string", default: "1" },
    surfaces: { type: "string", default: "rest,sdk-hub" },
    report: { type: "string" },
  },
});
const minutes = Number(values.minutes);
const engine = values.engine as EngineName;
const possible: readonly Surface[] = ["rest", "sdk-hub"];
const surfaces = values.surfaces.split(",") as Surface[];
if (!(minutes > 0 && engines.includes(engine) && surfaces.every((name) => possible.includes(name)))) {
  console.error(
    `usage: npm run prove -- soak [--minutes N] [--engine ${engines.join("|")}] [--surfaces ${possible}] [--report FILE]`,
  );
  process.exit(2);
}

export interface Sample {
  /** Seconds since the start. */
  at: number;
  /** Of both hubs. */
  memoryMb: number;
  descriptors: number;
  databaseMb: number;
  /** Of SQLite: what was written and is not yet in the database file. */
  logMb: number;
}

/** Half of what the agents would do without a rest, as measured with `attack --nemeses=`. */
const restMs = 25;
const kept = 2000;
/** [M9] The keys that our own client makes are kept for an hour: until then there are more of them every minute. */
const settledMinutes = surfaces.includes("sdk-hub") ? 62 : minutes / 4;
/** How much more the second half may need than the first, of what comes after the start. */
const growth = 1.1;
const samplesKept = 60;

const servers = serversOf();
const random = randomOf(Number(values.seed));
const bed = await makeBed({ engine, servers, random, needs: {}, killCalls: 0 });
for (const surface of surfaces)
  bed.startAgents(
    surface,
    Array.from({ length: 6 }, () => "steady" as const),
    restMs,
  );
const inbox = await Inbox.open(bed.place.hubs[0]!, { agent: "keeper-of-limits" });
await inbox.retention.set({ kind: "all", count: kept });

function usedBy(hub: Hub): { memoryMb: number; descriptors: number } {
  const status = readFileSync(`/proc/${hub.pid()}/status`, "utf8");
  return {
    memoryMb: Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1024,
    descriptors: readdirSync(`/proc/${hub.pid()}/fd`).length,
  };
}

async function onDisk({ place }: Bed): Promise<{ databaseMb: number; logMb: number }> {
  const megabytes = (bytes: number) => Number((bytes / 2 ** 20).toFixed(1));
  if (engine !== "sqlite") {
    const [row] = await administer(
      place.db,
      (sql) => sql`select pg_database_size(current_database()) as size`,
    );
    return { databaseMb: megabytes(Number(row!.size)), logMb: 0 };
  }
  const size = (path: string) => megabytes(statSync(path, { throwIfNoEntry: false })?.size ?? 0);
  return { databaseMb: size(place.db), logMb: size(`${place.db}-wal`) };
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
    ...(await onDisk(bed)),
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
const startSeconds = 60 * Math.min(settledMinutes, minutes / 2);
const settled = samples.filter(({ at }) => at > startSeconds);
const middle = Math.floor(settled.length / 2);
const [before, after] = [settled.slice(0, middle), settled.slice(middle)];
const grown = (["memoryMb", "descriptors", "databaseMb", "logMb"] as const).filter(
  (what) => mean(after, what) > growth * mean(before, what) + 1,
);
const step = Math.max(1, Math.floor(samples.length / samplesKept));
const shown = samples.filter((_, index) => index % step === 0);
if (values.report)
  writeFileSync(
    values.report,
    `${JSON.stringify({ engine, surfaces, minutes, calls, kept, samples: shown }, null, 2)}\n`,
  );
console.log(
  `soak: ${minutes} minutes on ${engine}, ${calls} calls, ${grown.length ? `grows: ${grown.join(", ")}` : "nothing grows"}`,
);
process.exit(grown.length ? 1 : 0);
