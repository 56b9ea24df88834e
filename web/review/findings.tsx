/** What a reviewer said of the changes, before the person sees them. */
import { plural } from "../../src/contract/plural.ts";
import { LinkButton } from "../ui/link-button.tsx";

export interface Finding {
  round: number;
  file: string | null;
  line: number | null;
  text: string;
}

/** [A12] In the answer about a task that was reviewed. */
export interface Review {
  verdict: string | null;
  rounds: number;
  findings: readonly Finding[];
  profile?: string;
  error?: string | null;
}

export const reviewOf = (task: object): Review | null =>
  "review" in task ? ((task as { review: Review | null }).review ?? null) : null;

/** What was found last: what was found before has been worked on. */
export const latest = ({ findings, rounds }: Review) => findings.filter(({ round }) => round === rounds);

const verdicts: Record<string, [text: string, tone: string]> = {
  approved: ["approved", "good"],
  sent_back: ["sent back", "warn"],
  none: ["no verdict", "bad"],
};

export function Findings({ review, onFile }: { review: Review; onFile(path: string): void }) {
  if (review.verdict === null) return null;
  const [text, tone] = verdicts[review.verdict] ?? [review.verdict, ""];
  const found = latest(review);
  return (
    <section class="findings" aria-label="Review">
      <h2>
        Review{review.profile && ` by ${review.profile}`}{" "}
        <span class="tag" data-tone={tone}>
          {text}
        </span>{" "}
        <span class="hint">after {plural(review.rounds, "round")}</span>
      </h2>
      {review.error && <p>{review.error}</p>}
      {found.length > 0 && (
        <ul>
          {found.map(({ file, line, text: said }, n) => (
            <li key={n}>
              {file !== null && (
                <LinkButton onClick={() => onFile(file)}>
                  {file}
                  {line !== null && `:${line}`}
                </LinkButton>
              )}{" "}
              {said}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
