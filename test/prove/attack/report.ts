/** What a campaign has done, added up by engine and nemesis, in a file that documents are made from. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { History } from "../check/history.ts";
import { recoveriesIn, wakesIn } from "../check/times.ts";
import type { Planned } from "./plan.ts";

export interface EngineCounts {
  rounds: number;
  /** Calls by surface, and how many of them were answered, refused, or are not known. */
  calls: number;
  ok: number;
  refused: number;
  unknown: number;
  surfaces: Record<string, number>;
  /** By nemesis: how often it struck, and the longest time until a call succeeded again. */
  faults: Record<string, { count: number; recoveryMs: number }>;
  /** How long mail took to reach whoever waited for it, where nothing was broken: how often, by milliseconds to two digits. */
  wakes: Record<string, number>;
  violations: number;
  seeds: [number, number];
}

export interface Report {
  made: string;
  machine: string;
  minutes: number;
  engines: Record<string, EngineCounts>;
}

export const emptyCounts = (seed: number): EngineCounts => ({
  rounds: 0,
  calls: 0,
  ok: 0,
  refused: 0,
  unknown: 0,
  surfaces: {},
  faults: {},
  wakes: {},
  violations: 0,
  seeds: [seed, seed],
});

/** Adds a round. */
export function count(counts: EngineCounts, { seed }: Planned, history: History, violations: number): void {
  counts.rounds++;
  counts.violations += violations;
  counts.seeds = [Math.min(counts.seeds[0], seed), Math.max(counts.seeds[1], seed)];
  for (const { surface, outcome } of history.ops) {
    counts.calls++;
    counts[outcome]++;
    counts.surfaces[surface] = (counts.surfaces[surface] ?? 0) + 1;
  }
  for (const { nemesis, ms } of recoveriesIn(history)) {
    counts.faults[nemesis] ??= { count: 0, recoveryMs: 0 };
    const sum = counts.faults[nemesis];
    sum.count++;
    sum.recoveryMs = Math.max(sum.recoveryMs, Math.round(ms));
  }
  for (const { ms } of wakesIn(history)) {
    const rounded = Number(Math.round(ms).toPrecision(2));
    counts.wakes[rounded] = (counts.wakes[rounded] ?? 0) + 1;
  }
}

/** The time within which this part of all were woken. */
export function wokenWithin({ wakes }: EngineCounts, part: number): number {
  const times = Object.entries(wakes).map(([ms, count]) => [Number(ms), count] as const);
  let left = times.reduce((sum, [, count]) => sum + count, 0) * part;
  for (const [ms, count] of times.sort(([a], [b]) => a - b)) {
    left -= count;
    if (left < 0) return ms;
  }
  return 0;
}

export const faultsIn = ({ faults }: EngineCounts) =>
  Object.values(faults).reduce((sum, { count }) => sum + count, 0);

export const writeReport = (file: string, report: Report) =>
  writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);

/** What an earlier run has done, for one that adds to it. */
export const readReport = (file: string): Report | undefined =>
  existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;

/** The first seed that no round of it had. */
export const seedAfter = ({ engines }: Report) =>
  Math.max(...Object.values(engines).map(({ seeds }) => seeds[1])) + 1;
