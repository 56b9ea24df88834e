/** [A11] Which usage each kind of agent program reports. */
import type { Budget, Reported } from "../../contract/usage.ts";
import type { RunnerSettings } from "./profile.ts";

const nothing: Reported = { tokens: "none", cost: "none" };

const byKind: Record<RunnerSettings["kind"], Reported> = {
  // It reports its cost at the end; it takes a budget in money, and stops by itself.
  claude: { tokens: "live", cost: "end" },
  codex: { tokens: "live", cost: "none" },
  gemini: { tokens: "end", cost: "none" },
  opencode: { tokens: "live", cost: "live" },
  // The protocol does not require the agent to report it.
  acp: { tokens: "perhaps", cost: "perhaps" },
  command: { tokens: "perhaps", cost: "perhaps" },
};

export const reportedBy = ({ kind, reportsUsage }: RunnerSettings): Reported =>
  kind === "command" && !reportsUsage ? nothing : byKind[kind];

/** Why a budget would have no effect. */
export function unheeded({ tokens }: Budget, runner: RunnerSettings): string | undefined {
  const reported = reportedBy(runner);
  const [what, other] = tokens === null ? (["cost", "tokens"] as const) : (["tokens", "cost"] as const);
  if (reported[what] !== "none") return undefined;
  if (reported[other] !== "none")
    return `the runner "${runner.name}" reports ${other === "tokens" ? "tokens, and no money" : "money, and no tokens"}`;
  return `the runner "${runner.name}" reports no usage (if its command does, set reports_usage = true)`;
}
