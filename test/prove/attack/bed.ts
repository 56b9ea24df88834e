/** What one round of an attack runs on: a bus, two hubs behind lines that can be broken, and processes with agents in them. */
import { join } from "node:path";
import { bareEnvironment, root } from "../../support/cli.ts";
import { temporaryFolder } from "../../support/folder.ts";
import type { Surface } from "../check/history.ts";
import type { AgentsConfig } from "./agents-driver.ts";
import { type Hub, startHub } from "./hubs.ts";
import { type Line, startLine } from "./line.ts";
import { now, type Recorder, recorder } from "./recorder.ts";
import type { Role } from "./roles.ts";
import type { EngineName, Servers } from "./servers.ts";
import type { Place } from "./surfaces.ts";

export interface Agents {
  surface: Surface;
  signal(signal: NodeJS.Signals): void;
  exited: Promise<number>;
  leave(): Promise<void>;
}

export interface Bed {
  engine: EngineName;
  servers: Servers;
  random: () => number;
  place: Place;
  hubs: Hub[];
  lines: Line[];
  agents: Agents[];
  /** The history: one file for each process, and one for the faults. */
  files: string[];
  record: Recorder;
  /** Something is broken until the work is over, at the end of which all is as before. */
  fault(nemesis: string, work: () => Promise<unknown>): Promise<void>;
  startAgents(surface: Surface, roles: Role[], killCalls?: number): Agents;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface BedOptions {
  engine: EngineName;
  servers: Servers;
  random: () => number;
  /** Of the hubs. */
  env?: Record<string, string>;
}

export async function makeBed({ engine, servers, random, env }: BedOptions): Promise<Bed> {
  const folder = temporaryFolder();
  await servers.start(engine);
  const db = engine === "sqlite" ? join(folder.path, "coord.db") : await servers.database();
  const delivery = engine === "rabbitmq" ? servers.rabbit!.url : undefined;
  const files: string[] = [];
  const fileFor = (name: string) => {
    const file = join(folder.path, `${name}.jsonl`);
    files.push(file);
    return file;
  };
  const record = recorder(fileFor("faults"), "sdk", "faults");
  // The first one makes the database.
  const hubs = [await startHub({ db, delivery, env })];
  hubs.push(await startHub({ db, delivery, env }));
  const broken = (way: string, ms: number) =>
    record.note({ type: "fault", nemesis: "break-lines", at: now(), until: now() + ms, detail: way });
  const lines = await Promise.all(hubs.map(({ port }) => startLine(port, random, broken)));
  const place: Place = { db, delivery, hubs: lines.map(({ url }) => url) };
  let started = 0;

  const bed: Bed = {
    engine,
    servers,
    random,
    place,
    hubs,
    lines,
    agents: [],
    files,
    record,
    async fault(nemesis, work) {
      const at = now();
      await work();
      record.note({ type: "fault", nemesis, at, until: now() });
    },
    startAgents(surface, roles, killCalls = 0) {
      const name = `p${++started}`;
      const seed = Math.floor(random() * 2 ** 31);
      const config: AgentsConfig = { name, surface, place, roles, seed, file: fileFor(name), killCalls };
      const agents = spawnAgents(config);
      bed.agents.push(agents);
      return agents;
    },
    async [Symbol.asyncDispose]() {
      for (const agents of bed.agents) agents.signal("SIGKILL");
      await Promise.all(hubs.map((hub) => hub.kill()));
      await Promise.all(lines.map((line) => line.stop()));
      record.close();
      folder[Symbol.dispose]();
    },
  };
  return bed;
}

function spawnAgents(config: AgentsConfig): Agents {
  const flags = [`--config=${join(root, "bunfig.toml")}`, "--no-env-file"];
  const driver = join(import.meta.dir, "agents-driver.ts");
  const child = Bun.spawn([process.execPath, ...flags, driver, JSON.stringify(config)], {
    cwd: "/",
    env: bareEnvironment(),
    stdin: "pipe",
    stdout: "inherit",
    stderr: "inherit",
  });
  return {
    surface: config.surface,
    signal: (signal) => void child.kill(signal),
    exited: child.exited,
    async leave() {
      child.kill("SIGCONT");
      await child.stdin.end();
      const patience = Bun.sleep(30_000).then(() => child.kill("SIGKILL"));
      await Promise.race([child.exited, patience]);
    },
  };
}
