/** [A12] Reviews of tasks as they are stored and told. */
import { plural } from "../contract/plural.ts";
import type { Review, ReviewFinding, ReviewOutcome } from "../contract/review.ts";
import type { TaskRow } from "./task.ts";

export function reviewView({ review, review_rounds, review_json }: TaskRow): Review | null {
  if (review === null) return null;
  const outcome = review_json === null ? undefined : (JSON.parse(review_json) as ReviewOutcome);
  return {
    profile: review,
    maxRounds: review_rounds!,
    verdict: outcome?.verdict ?? null,
    rounds: outcome?.rounds ?? 0,
    error: outcome?.error ?? null,
    findings: outcome?.findings ?? [],
  };
}

/** Where it is, and what. */
export const findingLine = ({ file, line, text }: Omit<ReviewFinding, "round">): string =>
  `${file === null ? "" : `${file}${line === null ? "" : `:${line}`}: `}${text}`;

/** What a result says of it. */
export function reviewLine({ verdict, rounds, findings, profile, error }: ReviewOutcome): string {
  const last = findings.filter(({ round }) => round === rounds);
  if (verdict === "none") return `It was not reviewed: ${error}.`;
  const how = `${verdict === "approved" ? "approved it" : "sent it back"} in round ${rounds}`;
  const remarks = last.length
    ? `, with ${plural(last.length, "finding")}: ${last.map(findingLine).join("; ")}`
    : ".";
  return `Its reviewer (${profile}) ${how}${remarks}`;
}
