/** What stands around the text of a message, wherever it is shown. */
import type { Message } from "../data/threads.ts";
import { plainTitle } from "../documents/plain-text.ts";

const tones: Record<string, string> = { question: "warn", result: "good" };

/** A result that says of itself that the work has failed is no success. */
export function KindTag({ message: { kind, payload } }: { message: Message }) {
  const failed = kind === "result" && payload.success === false;
  return (
    <span class="tag" data-tone={failed ? "bad" : tones[kind]}>
      {failed ? "failed" : kind}
    </span>
  );
}

/** Where it is not only the beginning of the body. */
export const Summary = ({ message: { body, summary } }: { message: Message }) =>
  body && summary && !body.trimStart().startsWith(summary.replace(/…$/, "")) ? (
    <p class="said-summary">{plainTitle(summary)}</p>
  ) : null;
