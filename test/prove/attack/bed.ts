/** What one round of an attack runs on: a bus, two hubs behind lines that can be broken, and processes with agents in them. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bareEnvironment, root } from "../../support/cli.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { smallDisk } from "../../support/mounts.ts";
import { type FaultyLine, startProxy } from "../../support/proxy.ts";
import type { Surface } from "../check/history.ts";
import type { AgentsConfig } from "./agents-driver.ts";
import { type Hub, startHub } from "./hubs.ts";
import { type Lines, startLines } from "./lines.ts";
import { type ProcessTable, processTable } from "./process-table.ts";
import { processesOf, runsTasks, signal } from "./processes.ts";
import { now, type Recorder, recorder } from "./recorder.ts";
import type { Role } from "./roles.ts";
import { type EngineName, type Pair, type Servers, startPair } from "./servers.ts";
import type { Place } from "./surfaces.ts";

export interface Agents {
  surface: Surface;
  roles: Role[];
  restMs: number;
  signal(signal: NodeJS.Signals): void;
  exited: Promise<number>;
  leave(): Promise<void>;
}

/** What a nemesis needs to be there before the round begins. */
export interface Needs {
  /** The bus on a disk of its own, which can be filled. */
  smallDisk?: boolean;
  /** Hubs whose syncs can be slowed down. */
  slowDisk?: string;
  /** Hubs that reach Postgres by a line that can be broken. */
  faultyPostgres?: boolean;
  /** Postgres with a standby. */
  pair?: boolean;
  /** Agents that push tasks. */
  tasks?: boolean;
  /** Hubs that share a table of processes with what they start; it can be full. */
  processTable?: boolean;
}

export interface Bed {
  engine: EngineName;
  servers: Servers;
  random: () => number;
  place: Place;
  hubs: Hub[];
  lines: Lines;
  agents: Agents[];
  /** The folder of the database file. */
  disk: string;
  /** While it exists, syncs are slow. */
  slow: string;
  postgresLine?: FaultyLine;
  pair?: Pair;
  table?: ProcessTable;
  /** The history: one file for each process, and one for the faults. */
  files: string[];
  fileFor(name: string): string;
  record: Recorder;
  /** What a nemesis has in hand. */
  busy: Set<object>;
  /** Something is broken until the work is over, at the end of which all is as before. */
  fault(nemesis: string, work: () => Promise<unknown>): Promise<void>;
  startAgents(surface: Surface, roles: Role[], restMs?: number): Agents;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface BedOptions {
  engine: EngineName;
  servers: Servers;
  random: () => number;
  needs: Needs;
  /** How many of the processes that agents start for calls are killed while they work, from 0 to 1. */
  killCalls: number;
}

const profiles = 'default = "sh"\n[runners.sh]\ncommand = ["sh", "-c", "{prompt}"]\n';

export async function makeBed({ engine, servers, random, needs, killCalls }: BedOptions): Promise<Bed> {
  await using left = new AsyncDisposableStack();
  const folder = left.use(temporaryFolder());
  const disk = join(folder.path, "bus");
  mkdirSync(disk);
  if (needs.smallDisk) left.use(smallDisk(64 * 1024, disk));
  const pair = needs.pair ? await startPair() : undefined;
  if (pair) left.defer(pair.stop);
  else await servers.start(engine);
  const db = engine === "sqlite" ? join(disk, "coord.db") : (pair?.url ?? (await servers.database()));
  const delivery = engine === "rabbitmq" ? servers.rabbit!.url : undefined;
  const postgresLine = needs.faultyPostgres ? await startProxy(db) : undefined;
  if (postgresLine) left.defer(postgresLine.stop);
  const files: string[] = [];
  const fileFor = (name: string) => {
    const file = join(folder.path, `${name}.jsonl`);
    writeFileSync(file, ""); // a process may be killed before it writes anything
    files.push(file);
    return file;
  };
  const record = recorder(fileFor("faults"), "sdk", "faults");
  left.defer(record.close);
  const profilesFile = join(folder.path, "agents.toml");
  await Bun.write(profilesFile, profiles);
  const slow = join(folder.path, "slow");
  const env: Record<string, string> = {
    INBOX_PROFILES: profilesFile,
    ...(needs.slowDisk && { LD_PRELOAD: needs.slowDisk, DISK_SLOW: slow }),
  };
  const table = needs.processTable ? processTable() : undefined;
  if (table) left.use(table);
  left.defer(() => endTasks(db));
  // The first one makes the database.
  const hubs: Hub[] = [];
  left.defer(async () => void (await Promise.all(hubs.map((hub) => hub.kill()))));
  for (let count = 0; count < 2; count++)
    hubs.push(
      await startHub({ db: postgresLine?.url ?? db, delivery, env, started: (pid) => table?.enter(pid) }),
    );
  const ports = hubs.map(({ port }) => port);
  const lines = await startLines({ ports, seed: Math.floor(random() * 2 ** 31), file: fileFor("lines") });
  left.defer(lines.stop);
  const place: Place = { db, delivery, hubs: lines.urls, profiles: profilesFile };
  const agents: Agents[] = [];
  left.defer(() => {
    for (const one of agents) one.signal("SIGKILL");
  });
  let started = 0;
  const kept = left.move();

  return {
    ...{ engine, servers, random, place, hubs, lines, agents, disk, slow, postgresLine, pair, table, files },
    fileFor,
    record,
    busy: new Set(),
    async fault(nemesis, work) {
      const at = now();
      await work();
      record.note({ type: "fault", nemesis, at, until: now() });
    },
    startAgents(surface, roles, restMs = 0) {
      const name = `p${++started}`;
      const seed = Math.floor(random() * 2 ** 31);
      const file = fileFor(name);
      const made = spawnAgents({ name, surface, place, roles, seed, file, killCalls, restMs });
      agents.push(made);
      return made;
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** Whoever has pushed tasks stays until each was reported; everybody else until the last wait is over. */
const patienceMs = (roles: readonly Role[]) => (roles.includes("parent") ? 90_000 : 25_000);

/** Sub-agents start others until their keepers are gone. */
function endTasks(db: string): void {
  for (let left = processesOf(db).filter(runsTasks); left.length; left = processesOf(db).filter(runsTasks))
    for (const { pid } of left) signal(pid, "SIGKILL");
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
    roles: config.roles,
    restMs: config.restMs,
    signal: (signal) => void child.kill(signal),
    exited: child.exited,
    async leave() {
      child.kill("SIGCONT");
      await Promise.resolve(child.stdin.end()).catch(() => {});
      const late = setTimeout(() => child.kill("SIGKILL"), patienceMs(config.roles));
      await child.exited;
      clearTimeout(late);
    },
  };
}
