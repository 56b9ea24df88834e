/** [A11] The cost of a task, as far as its program reports it, and its limit. */
import * as v from "valibot";
import { described, quotedValue } from "./fields.ts";
import { noLimit } from "./limit.ts";
import { blank, call, type Reference } from "./phrase.ts";

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

/** When a program reports it: while it runs, at the end of a turn, sometimes, or never. */
export const reportTimes = ["live", "end", "perhaps", "none"] as const;
export const reported = () =>
  v.strictObject({ tokens: v.picklist(reportTimes), cost: v.picklist(reportTimes) });
export type Reported = v.InferOutput<ReturnType<typeof reported>>;

/** One of the two. */
export const budget = () =>
  v.strictObject({ tokens: v.nullable(v.number()), costUsd: v.nullable(v.number()) });
export type Budget = v.InferOutput<ReturnType<typeof budget>>;

/** [A11] By how much a task has exceeded its budget, including the tasks below it. */
export interface Excess {
  unit: "tokens" | "usd";
  budget: number;
  used: number;
}

/** Using exactly the budget is allowed. */
export function excessOver({ tokens, costUsd }: Budget, used: Usage): Excess | undefined {
  if (tokens !== null && used.tokens > tokens) return { unit: "tokens", budget: tokens, used: used.tokens };
  if (costUsd !== null && (used.costUsd ?? 0) > costUsd)
    return { unit: "usd", budget: costUsd, used: used.costUsd! };
  return undefined;
}

const amountPattern = /^(\$?)(\d{1,15}(?:\.\d{1,6})?) ?(k|m|usd)?$/i;
export const budgetForm = "must be tokens (200k, 1.5M) or US dollars (2.50usd)";

/** An amount as people write it: 200k, 1.5M, 2.50usd, $3. Without a unit it may be either. */
function amountIn(text: string): { amount: number; unit: "tokens" | "usd" | null } | undefined {
  const [, dollar, digits, suffix] = amountPattern.exec(text.trim().toLowerCase()) ?? [];
  if (digits === undefined || (dollar !== "" && suffix !== undefined)) return undefined;
  const amount = Number(digits) * (suffix === "k" ? 1e3 : suffix === "m" ? 1e6 : 1);
  return { amount, unit: dollar !== "" || suffix === "usd" ? "usd" : suffix === undefined ? null : "tokens" };
}

/** Parses a budget; undefined if it is not valid. */
export function budgetIn(text: string): Budget | undefined {
  const { amount = 0, unit } = amountIn(text) ?? {};
  if (amount <= 0 || amount > 1e12 || (unit !== "usd" && !Number.isInteger(amount))) return undefined;
  return unit === "usd" ? { tokens: null, costUsd: amount } : { tokens: amount, costUsd: null };
}

export const budgetAsked = (
  help = "kill it when it and the tasks it has pushed have used more than this: tokens (200k) or dollars (2.50usd) (default: the profile's budget)",
  { removable = false } = {},
) =>
  v.optional(
    described(
      v.pipe(
        v.string("must be text"),
        v.check(
          (text) => (removable && text === noLimit) || budgetIn(text) !== undefined,
          (issue) => `${budgetForm}${removable ? `, or ${noLimit}` : ""}; got ${JSON.stringify(issue.input)}`,
        ),
      ),
      { type: "text", value: `TOKENS|USD${removable ? `|${noLimit}` : ""}`, example: "200k", help },
    ),
  );

/** Parses a daily limit; null: none. Undefined if it is not valid. */
function limitIn(wanted: "tokens" | "usd", given: number | string | null): number | null | undefined {
  if (given === noLimit || given === null) return null;
  const { amount = Number.NaN, unit } =
    typeof given === "number" ? { amount: given, unit: null } : (amountIn(given) ?? { unit: null });
  const fits = amount >= 0 && amount <= 1e15 && (unit === null || unit === wanted);
  return fits && (wanted === "usd" || Number.isInteger(amount)) ? amount : undefined;
}

const limitForms = { tokens: "tokens (200k, 1.5M)", usd: "US dollars (20, 2.50usd)" };

/** [A11] A daily limit, written like a budget; null means none, so that a client can send what it has read. */
export const limitAsked = (unit: "tokens" | "usd", help: string) => {
  const wrong = (issue: { input: unknown }) =>
    `must be ${limitForms[unit]} or ${noLimit}; got ${quotedValue(issue.input)}`;
  return v.optional(
    described(
      v.pipe(
        v.union([v.number(), v.string(), v.null()], wrong),
        v.check((given) => limitIn(unit, given) !== undefined, wrong),
        v.transform((given) => limitIn(unit, given)!),
      ),
      {
        type: "text",
        value: `${unit === "usd" ? "USD" : "TOKENS"}|${noLimit}`,
        example: unit === "usd" ? "20" : "5M",
        help,
      },
    ),
  );
};

/** What a day may cost; null: no limit. */
export const dailyLimit = () =>
  v.strictObject({ tokens: v.nullable(v.number()), costUsd: v.nullable(v.number()) });

/** Why nothing starts: a limit of today is reached. `until` is null for a limit of 0, which does not end with the day. */
export const held = () =>
  v.strictObject({ limit: dailyLimit(), used: usage(), until: v.nullable(v.string()) });
export type Held = v.InferOutput<ReturnType<typeof held>>;

/** [C14] The call that changes a limit that is reached. */
export const raising = (held: Held): Reference =>
  call("costs.set", Object.fromEntries(reachedIn(held).map((unit) => [unit, blank("N")])));

/** Which limits are reached. */
export const reachedIn = ({ limit, used }: Pick<Held, "limit" | "used">): ("tokens" | "usd")[] => [
  ...(limit.tokens !== null && used.tokens >= limit.tokens ? (["tokens"] as const) : []),
  ...(limit.costUsd !== null && (used.costUsd ?? 0) >= limit.costUsd ? (["usd"] as const) : []),
];

export const costs = () =>
  v.strictObject({
    limit: dailyLimit(),
    today: usage(),
    held: v.nullable(held()),
    days: v.array(v.strictObject({ day: v.string(), ...usage().entries })),
  });
export type Costs = v.InferOutput<ReturnType<typeof costs>>;
