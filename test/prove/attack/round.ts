/** One round: a fresh bus, agents on every surface, some nemeses for a while, then peace, an audit and the verdict. */
import { dirname } from "node:path";
import { randomOf } from "../../support/random.ts";
import { verdict } from "../check/checker.ts";
import { type History, readHistory, type Surface, type Violation } from "../check/history.ts";
import { audit } from "./audit.ts";
import { makeBed, type Needs } from "./bed.ts";
import { drain } from "./drain.ts";
import { nemeses as known, torment } from "./nemeses.ts";
import type { Role } from "./roles.ts";
import type { EngineName, Servers } from "./servers.ts";

export interface RoundOptions {
  engine: EngineName;
  servers: Servers;
  seed: number;
  nemeses: readonly string[];
  seconds: number;
  /** At the end it is waited until others can have what was handed out to the dead: a good minute. */
  patient?: boolean;
  /** Only these (default: all). */
  surfaces?: readonly Surface[];
  /** How many of each that needs no process of its own for a call (default: 1). */
  crowd?: number;
  /** Milliseconds of rest after each call, of everybody (default: none). */
  restMs?: number;
  /** Told the folder of the history before it is deleted. */
  ended?(folder: string, violations: Violation[]): void;
}

export interface RoundResult {
  history: History;
  violations: Violation[];
}

const everyRole: Role[] = ["producer", "consumer", "worker", "reader", "cursor", "follower"];

export const crew: [Surface, Role[]][] = [
  ["cli", ["producer", "consumer", "worker", "reader"]],
  ["cli-hub", ["producer", "consumer", "worker"]],
  ["rest", [...everyRole, "caller", "sleeper-1"]],
  ["mcp-stdio", ["producer", "consumer", "worker"]],
  ["mcp-http", ["producer", "consumer", "worker", "reader", "cursor"]],
  ["sdk", [...everyRole, "caller", "sleeper-0"]],
  ["sdk-hub", [...everyRole, "caller"]],
];

/** On these a call is cheap, so that many can call at once. */
const crowded: readonly Surface[] = ["rest", "mcp-http", "sdk", "sdk-hub"];

/** Those that show how long it takes to be woken stay as few as they are, as do those whose calls wake them. */
const inCrowds = (role: Role) => everyRole.includes(role);

/** Where there is a crowd, those that start a process for each call leave it some of the machine. */
const restMs = (surface: Surface, crowd: number) =>
  crowd > 1 && !crowded.includes(surface) ? 50 * crowd : 0;

const times = (surface: Surface, roles: Role[], crowd: number): Role[] =>
  crowded.includes(surface)
    ? [...roles, ...Array.from({ length: crowd - 1 }, () => roles.filter(inCrowds)).flat()]
    : roles;

/** Those who push tasks do so in processes of their own: they stay until each task was reported. */
const parents: Surface[] = ["rest", "sdk-hub", "cli"];

export async function runRound(options: RoundOptions): Promise<RoundResult> {
  const { engine, servers, seed, nemeses, seconds, crowd = 1 } = options;
  const random = randomOf(seed);
  const needs: Needs = Object.assign({}, ...nemeses.map((name) => known[name]!.needs));
  const killCalls = Math.max(0, ...nemeses.map((name) => known[name]!.killCalls ?? 0));
  await using bed = await makeBed({ engine, servers, random, needs, killCalls });
  for (const [surface, roles] of crew)
    if (options.surfaces?.includes(surface) ?? true)
      bed.startAgents(surface, times(surface, roles, crowd), options.restMs ?? restMs(surface, crowd));
  if (needs.tasks) for (const surface of parents) bed.startAgents(surface, ["parent"]);
  const over = AbortSignal.timeout(seconds * 1000);
  const struck = Promise.all(nemeses.map((name) => torment(name, bed, over)));
  await Promise.all([struck, new Promise((done) => over.addEventListener("abort", done))]);
  await Promise.all(bed.agents.map((agents) => agents.leave()));
  await drain(bed, options.patient ?? false);
  await audit(bed);
  const history = readHistory(bed.files);
  const violations = verdict(history);
  options.ended?.(dirname(bed.files[0]!), violations);
  return { history, violations };
}
