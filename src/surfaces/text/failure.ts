/** How a task failed, for every place that shows its result. */
import type { Excess } from "../../contract/usage.ts";
import { excessLine } from "../../contract/usage-text.ts";
import { branchLine, type OnBranch } from "../../contract/worktree.ts";
import type { Paint } from "./paint.ts";
import { inLine, quoted, safe, setIn } from "./safe.ts";

/** [Q5] How a task failed, for people: its parent's message has the same as JSON. */
export function failureText(failure: unknown, paint: Paint): string | undefined {
  const { success, error, reason, partial_output: partial, ...more } = Object(failure) as Told;
  if (success !== false || typeof error !== "string") return undefined;
  const written = typeof partial === "string" ? quoted(safe(partial).trimEnd(), "  ").trimEnd() : "";
  const lines = [
    `${paint.red("failed:")} ${setIn(error, 8)}`,
    ...(written ? [paint.dim("it had written:"), written] : []),
    ...remarksOf(more, reason === "budget"),
  ];
  return lines.join("\n");
}

type Told = Record<string, unknown>;

/** If it exceeded its budget, its error says by what. Other senders may put anything here. */
function remarksOf({ worktree, over_budget: excess, notices }: Told, isSaid: boolean): string[] {
  const lines: string[] = [];
  if (isObject(worktree)) lines.push(branchLine(worktree as unknown as OnBranch));
  if (isObject(excess) && !isSaid && (excess.unit === "tokens" || excess.unit === "usd"))
    lines.push(excessLine(excess as unknown as Excess));
  if (Array.isArray(notices)) lines.push(...notices.map(String));
  return lines.map(inLine);
}

const isObject = (value: unknown): value is Told => typeof value === "object" && value !== null;
