/**
 * [A11] The usage that an ACP agent reports: money while it works, tokens with the answer to a prompt. Both are for
 * the session.
 */
import type { PromptResponse, SessionUpdate } from "@agentclientprotocol/sdk";
import type { UsageReport } from "../../contract/usage.ts";
import { countIn, moneyIn, noUsage, sinceCounted } from "./reports.ts";
import type { Job, Outcome, Talk } from "./runner.ts";

type Fields = Record<string, unknown>;

export interface AcpUsage {
  take(update: SessionUpdate): void;
  /** The answer to the prompt. */
  answered(response: PromptResponse): void;
  outcome(): Pick<Outcome, "used" | "counted">;
}

export function acpUsage(
  { spent }: Pick<Talk, "spent">,
  { counted: before }: Pick<Job, "counted">,
): AcpUsage {
  let tokens: UsageReport | undefined;
  let costUsd: number | null = null;
  const all = (): UsageReport | undefined =>
    tokens === undefined && costUsd === null ? undefined : { ...(tokens ?? noUsage), costUsd, turns: 1 };
  return {
    take(update) {
      if (update.sessionUpdate !== "usage_update") return;
      // `used` is the current size of its context, not an amount. Amounts in other currencies cannot be added.
      const { amount, currency } = update.cost ?? {};
      if (currency !== "USD") return;
      costUsd = moneyIn(amount) ?? costUsd;
      const counted = all();
      // Its tokens are not known yet: compared with the earlier count, they would look like a new session.
      if (counted) spent(sinceCounted(counted, before && { ...noUsage, costUsd: before.costUsd }));
    },
    answered(response) {
      tokens = tokensIn(response);
    },
    outcome() {
      const counted = all();
      if (!counted) return {};
      const known = before && (tokens ? before : { ...noUsage, costUsd: before.costUsd });
      return { counted, used: sinceCounted(counted, known) };
    },
  };
}

/** Where the protocol has it, else where Gemini CLI puts it. */
function tokensIn(response: PromptResponse): UsageReport | undefined {
  const { usage, _meta } = response as {
    usage?: Fields | null;
    _meta?: { quota?: { token_count?: Fields } } | null;
  };
  const count = _meta?.quota?.token_count;
  if (usage) {
    const input = countIn(usage.inputTokens) + countIn(usage.cachedWriteTokens);
    const cached = countIn(usage.cachedReadTokens);
    const [output, thought] = [countIn(usage.outputTokens), countIn(usage.thoughtTokens)];
    // All kinds together must be the total: some agents count reasoning as output already.
    const apart = input + cached + output + thought <= countIn(usage.totalTokens);
    const outputTokens = output + (apart ? thought : 0);
    return { ...noUsage, inputTokens: input, cachedTokens: cached, outputTokens };
  }
  if (!count) return undefined;
  return {
    ...noUsage,
    inputTokens: countIn(count.input_tokens),
    outputTokens: countIn(count.output_tokens),
  };
}
