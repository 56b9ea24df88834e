/** [A11] The usage that Claude Code reports: in each message of the model, and in total in its result. */
import type { UsageReport } from "../../contract/usage.ts";
import { countIn, moneyIn, summed } from "./reports.ts";
import type { Outcome } from "./runner.ts";

type Fields = Record<string, unknown>;

export interface ClaudeUsage {
  /** Takes an event; returns what this run has used so far, if that has changed. */
  heard(event: Fields): UsageReport | undefined;
  /** What its result says, where it says anything. */
  ended(result: Fields, before: UsageReport | undefined): Pick<Outcome, "used" | "counted">;
}

const inMessage = (usage: Fields): UsageReport => ({
  inputTokens: countIn(usage.input_tokens) + countIn(usage.cache_creation_input_tokens),
  cachedTokens: countIn(usage.cache_read_input_tokens),
  outputTokens: countIn(usage.output_tokens),
  costUsd: null,
  turns: 1,
});

const inModel = (usage: Fields): UsageReport => ({
  inputTokens: countIn(usage.inputTokens) + countIn(usage.cacheCreationInputTokens),
  cachedTokens: countIn(usage.cacheReadInputTokens),
  outputTokens: countIn(usage.outputTokens),
  costUsd: null,
  turns: 0,
});

export function claudeUsage(): ClaudeUsage {
  // A message comes in several events, one for each of its blocks, each with the usage of the whole message.
  const messages = new Map<string, UsageReport>();
  return {
    heard(event) {
      const message = event.message as { id?: unknown; usage?: Fields } | undefined;
      if (event.type !== "assistant" || typeof message?.id !== "string" || !message.usage) return undefined;
      messages.set(message.id, inMessage(message.usage));
      return summed(messages.values());
    },
    ended(result, before) {
      if (!result.usage && !result.modelUsage && result.total_cost_usd === undefined) return {};
      const models = Object.values((result.modelUsage ?? {}) as Record<string, Fields>);
      // `usage` is for the main conversation alone; `modelUsage` includes its own sub-agents.
      const tokens = models.length
        ? summed(models.map(inModel))
        : { ...inMessage((result.usage ?? {}) as Fields), turns: 0 };
      const turns = countIn(result.num_turns) || messages.size;
      const counted = { ...tokens, costUsd: moneyIn(result.total_cost_usd), turns };
      return { used: ofThisRun(counted, summed(messages.values()), before), counted };
    },
  };
}

/**
 * When a session is resumed, some versions continue counting and others start at 0: a count that continues includes
 * both runs.
 */
function ofThisRun(all: UsageReport, seen: UsageReport, before: UsageReport | undefined): UsageReport {
  if (!before) return all;
  const read = ({ inputTokens, cachedTokens }: UsageReport) => inputTokens + cachedTokens;
  if (read(all) < read(before) + read(seen)) return all;
  return {
    inputTokens: all.inputTokens - before.inputTokens,
    cachedTokens: all.cachedTokens - before.cachedTokens,
    outputTokens: all.outputTokens - before.outputTokens,
    costUsd: all.costUsd === null ? null : Math.max(0, all.costUsd - (before.costUsd ?? 0)),
    turns: all.turns,
  };
}
