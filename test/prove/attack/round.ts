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

/** Those who push tasks do so in processes of their own: they stay until each task was reported. */
const parents: Surface[] = ["rest", "sdk-hub", "cli"];

export async function runRound(options: RoundOptions): Promise<RoundResult> {
  const { engine, servers, seed, nemeses, seconds } = options;
  const random = randomOf(seed);
  const needs: Needs = Object.assign({}, ...nemeses.map((name) => known[name]!.needs));
  const killCalls = Math.max(0, ...nemeses.map((name) => known[name]!.killCalls ?? 0));
  await using bed = await makeBed({ engine, servers, random, needs, killCalls });
  for (const [surface, roles] of crew)
    if (options.surfaces?.includes(surface) ?? true) bed.startAgents(surface, roles);
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
