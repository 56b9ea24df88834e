/** [A11] Reads numbers from the usage that programs report. */
import type { UsageReport } from "../../contract/usage.ts";

export const noUsage: UsageReport = {
  inputTokens: 0,
  cachedTokens: 0,
  outputTokens: 0,
  costUsd: null,
  turns: 0,
};

/** A count, from unchecked input. */
export const countIn = (value: unknown): number =>
  typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;

/** An amount of money, or none. */
export const moneyIn = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;

export const summed = (reports: Iterable<UsageReport>): UsageReport => {
  let sum = noUsage;
  for (const each of reports)
    sum = {
      inputTokens: sum.inputTokens + each.inputTokens,
      cachedTokens: sum.cachedTokens + each.cachedTokens,
      outputTokens: sum.outputTokens + each.outputTokens,
      costUsd: each.costUsd === null ? sum.costUsd : (sum.costUsd ?? 0) + each.costUsd,
      turns: sum.turns + each.turns,
    };
  return sum;
};

/**
 * The part of this run in a count that a program keeps per session. If the count is smaller than before, the session
 * is new, and all of it belongs to this run.
 */
export function sinceCounted(all: UsageReport, before: UsageReport | undefined): UsageReport {
  if (before === undefined) return all;
  const isLess =
    all.inputTokens < before.inputTokens ||
    all.cachedTokens < before.cachedTokens ||
    all.outputTokens < before.outputTokens ||
    (all.costUsd ?? 0) < (before.costUsd ?? 0);
  if (isLess) return all;
  return {
    inputTokens: all.inputTokens - before.inputTokens,
    cachedTokens: all.cachedTokens - before.cachedTokens,
    outputTokens: all.outputTokens - before.outputTokens,
    costUsd: all.costUsd === null ? null : all.costUsd - (before.costUsd ?? 0),
    turns: all.turns,
  };
}
