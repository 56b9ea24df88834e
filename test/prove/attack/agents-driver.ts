/**
 * The agents of one process, all on one surface: `bun agents-driver.ts CONFIG` with the configuration as JSON. What they
 * call and are told goes to a file. Ends when its standard input does.
 */
import { randomOf } from "../../support/random.ts";
import type { Surface } from "../check/history.ts";
import { now, recorder } from "./recorder.ts";
import { play, type Role } from "./roles.ts";
import { clientOf, type Place } from "./surfaces.ts";

export interface AgentsConfig {
  /** Unique in the attack. */
  name: string;
  surface: Surface;
  place: Place;
  roles: Role[];
  seed: number;
  file: string;
  /** How many of the processes that it starts for calls are killed while they work, from 0 to 1. */
  killCalls: number;
  /** Milliseconds of rest after each call. */
  restMs: number;
}

const config = JSON.parse(process.argv[2]!) as AgentsConfig;
const record = recorder(config.file, config.surface, config.name);
let stopped = false;

const loops = config.roles.map(async (role, index) => {
  const random = randomOf(config.seed + index * 7919);
  const client = clientOf(config.surface, {
    place: config.place,
    random,
    started: (kill) => void killLater(kill, random),
  });
  const { surface } = config;
  const name = `${role}-${config.name}-${index}`;
  const { restMs } = config;
  await play(role, { name, surface, client, record, random, restMs, stopped: () => stopped });
  await client.close();
});

async function killLater(kill: () => void, random: () => number): Promise<void> {
  if (random() >= config.killCalls) return;
  await Bun.sleep(random() * 60);
  kill();
  record.note({ type: "fault", nemesis: "kill-calls", at: now(), until: now() });
}

for await (const _ of Bun.stdin.stream()) {
  // Only its end matters.
}
stopped = true;
await Promise.all(loops);
process.exit(0);
