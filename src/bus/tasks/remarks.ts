/** What a result says in addition to the sub-agent's own text. */
import { excessLine } from "../../contract/usage-text.ts";
import { branchLine } from "../../contract/worktree.ts";
import { reviewLine } from "../review.ts";
import type { TaskRow } from "../task.ts";
import { budgetView, type UsageRow } from "../usage.ts";
import type { Ending } from "./end.ts";
import type { Known } from "./tell.ts";

/** [Q15] [A1] [A12] Tells the reader of a result what was refused, where the changes are, and what a reviewer said. */
export function withRemarks(
  row: TaskRow,
  final: string,
  {
    refused = [],
    branch,
    excess,
    review,
    notices = [],
    used,
  }: Ending & Known & { used: UsageRow | undefined },
): string {
  const { permission } = row;
  const may =
    permission === null ? "" : ` It had permission=${permission}; permission=allow lets it do everything.`;
  const remarks = [
    ...(refused.length ? [`It asked to use ${refused.join(", ")} and was refused.${may}`] : []),
    ...(branch ? [branchLine(branch)] : []),
    ...(review ? [reviewLine(review)] : []),
    ...notices,
    ...(excess ? [excessLine(excess)] : []),
    ...(budgetView(row) && !used ? ["Its program reported no usage: its budget was not checked."] : []),
  ];
  return remarks.length ? `${final}\n\n(${remarks.join(" ")})`.trimStart() : final;
}
