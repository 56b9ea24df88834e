/** What a result says beside the sub-agent's own words. */
import { reviewLine } from "../review.ts";
import type { TaskRow } from "../task.ts";
import type { Ending } from "./end.ts";
import { branchLine, type OnBranch } from "./worktrees.ts";

/** [Q15] [A1] [A12] Whoever reads the result learns that not everything could be done, where the changes are, and what a reviewer said. */
export function withRemarks(
  { permission }: TaskRow,
  final: string,
  { refused = [], branch, review, notices = [] }: Ending & { branch?: OnBranch },
): string {
  const may =
    permission === null ? "" : ` It had permission=${permission}; permission=allow lets it do everything.`;
  const remarks = [
    ...(refused.length ? [`It asked to use ${refused.join(", ")} and was refused.${may}`] : []),
    ...(branch ? [branchLine(branch)] : []),
    ...(review ? [reviewLine(review)] : []),
    ...notices,
  ];
  return remarks.length ? `${final}\n\n(${remarks.join(" ")})`.trimStart() : final;
}
