/** [U15] What has changed in a document since the person last read it: the lines, with a few around them. */
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { type Difference, type DiffLine, lineDiff, partsOf } from "../../src/contract/line-diff.ts";
import { plural } from "../../src/contract/plural.ts";

/** Undefined where there is nothing to compare, or nothing has changed. */
export function useDifference(before: string | undefined, after: string | undefined): Difference | undefined {
  return useMemo(() => {
    if (before === undefined || after === undefined || before === after) return undefined;
    const found = lineDiff(before, after);
    return found.added || found.removed ? found : undefined;
  }, [before, after]);
}

/** `+3 −1`, with words for those who hear it. */
export const HowMuch = ({ added, removed }: Difference) => (
  <span class="how-much">
    <span class="added">
      <span aria-hidden="true">+{added}</span>
      <span class="sr-only">{plural(added, "line")} added, </span>
    </span>
    <span class="removed">
      <span aria-hidden="true">−{removed}</span>
      <span class="sr-only">{plural(removed, "line")} removed</span>
    </span>
  </span>
);

const signs = { same: " ", added: "+", removed: "−" };
const words = { same: "", added: "added: ", removed: "removed: " };

const Line = ({ is, text }: DiffLine) => (
  <div class="diff-line" data-is={is}>
    <span class="diff-sign" aria-hidden="true">
      {signs[is]}
    </span>
    <span class="diff-text">
      {words[is] && <span class="sr-only">{words[is]}</span>}
      {text || " "}
    </span>
  </div>
);

export function Changes({ lines }: Difference) {
  const whole = useSignal(false);
  const parts = useMemo(() => partsOf(lines, whole.value ? lines.length : undefined), [lines, whole.value]);
  const unfold = () => {
    whole.value = true;
  };
  return (
    <div class="diff" tabIndex={0} role="region" aria-label="Changes since you last read it">
      {parts.map((part, at) =>
        "left" in part ? (
          <button key={at} type="button" class="diff-left" onClick={unfold}>
            {plural(part.left, "unchanged line")}
          </button>
        ) : (
          part.lines.map((line, n) => <Line key={part.from + n} {...line} />)
        ),
      )}
    </div>
  );
}
