/** One round: a fresh bus, agents on every surface, some nemeses for a while, then peace, an audit and the verdict. */
import { join } from "node:path";
import { randomOf } from "../../support/random.ts";
import { verdict } from "../check/checker.ts";
import { type History, readHistory, type Surface, type Violation } from "../check/history.ts";
import { audit } from "./audit.ts";
import { makeBed } from "./bed.ts";
import { torment } from "./nemeses.ts";
import type { Role } from "./roles.ts";
import type { EngineName, Servers } from "./servers.ts";

export interface RoundOptions {
  engine: EngineName;
  servers: Servers;
  seed: number;
  nemeses: readonly string[];
  seconds: number;
}

export interface RoundResult {
  history: History;
  violations: Violation[];
}

const everyRole: Role[] = ["producer", "consumer", "worker", "reader", "cursor", "follower"];

const crew: [Surface, Role[]][] = [
  ["cli", ["producer", "consumer", "worker", "reader"]],
  ["cli-hub", ["producer", "consumer", "worker"]],
  ["rest", everyRole],
  ["mcp-stdio", everyRole],
  ["mcp-http", everyRole],
  ["sdk", everyRole],
  ["sdk-hub", everyRole],
];

export async function runRound({ engine, servers, seed, nemeses, seconds }: RoundOptions): Promise<RoundResult> {
  const random = randomOf(seed);
  await using bed = await makeBed({ engine, servers, random });
  for (const [surface, roles] of crew) bed.startAgents(surface, roles);
  const over = AbortSignal.timeout(seconds * 1000);
  const struck = Promise.all(nemeses.map((name) => torment(name, bed, over)));
  await Promise.all([struck, new Promise((done) => over.addEventListener("abort", done))]);
  await Promise.all(bed.agents.map((agents) => agents.leave()));
  await audit(bed, join(bed.files[0]!, "../audit.jsonl"));
  const history = readHistory(bed.files);
  return { history, violations: verdict(history) };
}
