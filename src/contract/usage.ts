/** [A11] What a task costs, as far as its program reports it, and what it may cost at most. */
import * as v from "valibot";
import { described } from "./fields.ts";

/** `tokens` is what budgets and limits count: input that was not read from the cache, and output. */
export const usage = () =>
  v.strictObject({
    tokens: v.number(),
    inputTokens: v.number(),
    /** Input that was read from the model's cache; not in `tokens`. */
    cachedTokens: v.number(),
    outputTokens: v.number(),
    /** Null where no program reported money. */
    costUsd: v.nullable(v.number()),
    turns: v.number(),
  });
export type Usage = v.InferOutput<ReturnType<typeof usage>>;

/** As a program reports it. */
export type UsageReport = Omit<Usage, "tokens">;

/** What a program reports: while it runs, at the end of a turn, if it likes, or not at all. */
export const reportTimes = ["live", "end", "perhaps", "none"] as const;
export const reported = () =>
  v.strictObject({ tokens: v.picklist(reportTimes), cost: v.picklist(reportTimes) });
export type Reported = v.InferOutput<ReturnType<typeof reported>>;

/** One of the two. */
export const budget = () =>
  v.strictObject({ tokens: v.nullable(v.number()), costUsd: v.nullable(v.number()) });
export type Budget = v.InferOutput<ReturnType<typeof budget>>;

/** [A11] How much more than its budget a task has used, with all that it started. */
export interface Excess {
  unit: "tokens" | "usd";
  budget: number;
  used: number;
}

/** Up to the budget is within it. */
export function excessOver({ tokens, costUsd }: Budget, used: Usage): Excess | undefined {
  if (tokens !== null && used.tokens > tokens) return { unit: "tokens", budget: tokens, used: used.tokens };
  if (costUsd !== null && (used.costUsd ?? 0) > costUsd)
    return { unit: "usd", budget: costUsd, used: used.costUsd! };
  return undefined;
}

const budgetPattern = /^(\$?)(\d{1,12}(?:\.\d{1,6})?) ?(k|m|usd)?$/i;
export const budgetForm = "must be tokens (200k, 1.5M) or US dollars (2.50usd)";

/** What a budget's text means; undefined where it means nothing. */
export function budgetIn(text: string): Budget | undefined {
  const [, dollar, digits, unit] = budgetPattern.exec(text.trim()) ?? [];
  if (digits === undefined) return undefined;
  const suffix = unit?.toLowerCase();
  const money = dollar !== "" || suffix === "usd";
  if (money && dollar !== "" && suffix !== undefined) return undefined;
  const amount = Number(digits) * (suffix === "k" ? 1e3 : suffix === "m" ? 1e6 : 1);
  if (amount <= 0 || amount > 1e12 || (!money && !Number.isInteger(amount))) return undefined;
  return money ? { tokens: null, costUsd: amount } : { tokens: amount, costUsd: null };
}

export const budgetAsked = (
  help = "end it when it has used this many tokens (200k) or dollars (2.50usd), with all it started (default: the profile's budget)",
) =>
  v.optional(
    described(
      v.pipe(
        v.string("must be text"),
        v.check(
          (text) => budgetIn(text) !== undefined,
          (issue) => `${budgetForm}; got ${JSON.stringify(issue.input)}`,
        ),
      ),
      { type: "text", value: "TOKENS|USD", help },
    ),
  );

/** What a day may cost; null: no limit. */
export const dailyLimit = () =>
  v.strictObject({ tokens: v.nullable(v.number()), costUsd: v.nullable(v.number()) });

/** Why nothing starts: a limit of today is reached. */
export const held = () => v.strictObject({ limit: dailyLimit(), used: usage(), until: v.string() });
export type Held = v.InferOutput<ReturnType<typeof held>>;

export const costs = () =>
  v.strictObject({
    limit: dailyLimit(),
    today: usage(),
    held: v.nullable(held()),
    days: v.array(v.strictObject({ day: v.string(), ...usage().entries })),
  });
export type Costs = v.InferOutput<ReturnType<typeof costs>>;
