/** [A11] What a task has used, for people. */
import type { Budget, Excess, Held, Reported, Usage } from "./usage.ts";

/** 812, 12.3k, 4.5M. */
export function tokenCount(count: number): string {
  if (count < 1000) return String(count);
  const [size, unit] = count < 999_950 ? [1e3, "k"] : [1e6, "M"];
  return `${Number((count / (size as number)).toFixed(1))}${unit}`;
}

/** In cents; smaller amounts with two significant digits. */
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

const unitWords = { tokens: "tokens", usd: "USD" };

export const excessLine = ({ unit, budget, used }: Excess): string =>
  `It used ${used} ${unitWords[unit]}, more than its budget of ${budget} ${unitWords[unit]}.`;

/** Why it was ended. */
export const excessError = ({ unit, budget, used }: Excess): string =>
  `it exceeded its budget of ${budget} ${unitWords[unit]} (used ${used}) and was ended`;

/** Null where there is none. */
export function limitText({ tokens, costUsd }: Held["limit"]): string | null {
  const parts = [
    ...(tokens === null ? [] : [`${tokenCount(tokens)} tokens`]),
    ...(costUsd === null ? [] : [money(costUsd)]),
  ];
  return parts.length ? parts.join(", ") : null;
}

export const heldText = ({ limit, used, until }: Held): string =>
  `the daily limit is reached (${limitText(limit)}; used ${usageBrief(used)}): nothing starts ${until === null ? "until it is changed" : `before ${dayEnd}`}`;

/** When the next daily limit starts. */
export const dayEnd = "midnight (UTC)";

const times: Record<Reported["tokens"], string> = {
  live: "",
  end: " at the end",
  perhaps: " if it reports them",
  none: "",
};

/** What a program reports of its usage. */
export function reportsText({ tokens, cost }: Reported): string {
  if (tokens === "none" && cost === "none") return "not reported";
  if (tokens === cost) return `tokens, cost${times[tokens]}`;
  return [
    ...(tokens === "none" ? [] : [`tokens${times[tokens]}`]),
    ...(cost === "none" ? [] : [`cost${times[cost]}`]),
  ].join(", ");
}
