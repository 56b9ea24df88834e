/** What a reviewer said of the changes, before the person sees them. */
import { plural } from "../../src/contract/plural.ts";
import type { Review, ReviewVerdict } from "../../src/contract/review.ts";
import { Markdown } from "../documents/lazy.tsx";
import { LinkButton } from "../ui/link-button.tsx";

/** What was found last: what was found before has been worked on. */
export const latest = ({ findings, rounds }: Review) => findings.filter(({ round }) => round === rounds);

const verdicts: Record<ReviewVerdict, [text: string, tone: string]> = {
  approved: ["approved", "good"],
  sent_back: ["sent back", "warn"],
  none: ["no verdict", "bad"],
};

export function Findings({ review, onFile }: { review: Review; onFile(path: string): void }) {
  if (review.verdict === null) return null;
  const [text, tone] = verdicts[review.verdict];
  const found = latest(review);
  return (
    <section class="findings" aria-label="Review">
      <h2>
        Review by {review.profile}{" "}
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
              <Markdown text={said} message />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
