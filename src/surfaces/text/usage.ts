/** [A11] What a task has used, for people. */
import type { Budget, Usage } from "../../contract/usage.ts";

/** 812, 12.3k, 4.5M. */
export function tokenCount(count: number): string {
  if (count < 1000) return String(count);
  const [size, unit] = count < 999_950 ? [1e3, "k"] : [1e6, "M"];
  return `${Number((count / (size as number)).toFixed(1))}${unit}`;
}

/** Cents, and smaller sums to two places that say something. */
export const money = (usd: number) => `$${usd === 0 || usd >= 0.1 ? usd.toFixed(2) : usd.toPrecision(2)}`;

/** In a line of a list. */
export const usageBrief = ({ tokens, costUsd }: Usage): string =>
  costUsd === null ? `${tokenCount(tokens)} tokens` : `${tokenCount(tokens)} tokens, ${money(costUsd)}`;

export function usageText({
  tokens,
  inputTokens,
  cachedTokens,
  outputTokens,
  costUsd,
  turns,
}: Usage): string {
  const cached = cachedTokens ? `, ${tokenCount(cachedTokens)} more from the cache` : "";
  const parts = `(${tokenCount(inputTokens)} in, ${tokenCount(outputTokens)} out${cached})`;
  const cost = costUsd === null ? "" : `, ${money(costUsd)}`;
  return `${tokenCount(tokens)} tokens ${parts}${cost}${turns ? `, ${turns} ${turns === 1 ? "turn" : "turns"}` : ""}`;
}

export const budgetText = ({ tokens, costUsd }: Budget): string =>
  tokens === null ? money(costUsd!) : `${tokenCount(tokens)} tokens`;
