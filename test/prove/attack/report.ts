/** What a campaign has done, added up by engine and nemesis, in a file that documents are made from. */
import { writeFileSync } from "node:fs";
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
  /** How long mail took to reach whoever waited for it, where nothing was broken: half of them, and 99 of 100. */
  wakeMs: number[];
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
  wakeMs: [],
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
  counts.wakeMs.push(...wakesIn(history).map(({ ms }) => Math.round(ms)));
}

export const faultsIn = ({ faults }: EngineCounts) =>
  Object.values(faults).reduce((sum, { count }) => sum + count, 0);

/** Of many waking times only two are kept. */
export function writeReport(file: string, report: Report): void {
  const engines = Object.fromEntries(
    Object.entries(report.engines).map(([name, counts]) => {
      const sorted = counts.wakeMs.toSorted((a, b) => a - b);
      const at = (part: number) => sorted[Math.floor(sorted.length * part)] ?? 0;
      return [name, { ...counts, wakeMs: [at(0.5), at(0.99)] }];
    }),
  );
  writeFileSync(file, `${JSON.stringify({ ...report, engines }, null, 2)}\n`);
}
