/** [U11] Work that has failed: why, what it had said last, and the ways on. */
import type { FailureReason } from "../../src/contract/task.ts";
import type { Entry } from "../data/entries.ts";
import { retry } from "../data/tasks.ts";
import { go } from "../router.ts";
import { attempt } from "../ui/attempt.ts";
import { Icon } from "../ui/icon.tsx";

const reasons: Record<FailureReason, string> = {
  timeout: "It ran out of time",
  killed: "It was killed",
  exit: "Its program ended with an error",
  failed: "It gave up",
  lost: "Its keeper died",
  cancelled: "It was cancelled",
  skipped: "It was skipped: what it depends on failed",
  gate: "A gate rejected its result",
  review: "Its reviewer sent it back",
  budget: "It used up its budget",
  refused: "It could not be started",
};

export function FailureBlock({ failure }: { failure: NonNullable<Entry["failure"]> }) {
  const { error, reason, output, task } = failure;
  const lines = output.trimEnd().split("\n").slice(-lastLines).join("\n");
  return (
    <section class="failure" aria-label="Failure">
      <p class="failure-reason">
        <Icon name="warning" />
        <span>
          <strong>{(reason && reasons[reason as FailureReason]) || "It failed"}</strong>
          <br />
          <span class="as-written">{error}</span>
        </span>
      </p>
      {lines && (
        <pre tabIndex={0} role="region" aria-label="Its last lines">
          {lines}
        </pre>
      )}
      {task && (
        <div class="failure-actions">
          <button
            type="button"
            class="button"
            onClick={() => void attempt(() => retry(task), `Started ${task} again`)}
          >
            <Icon name="refresh" /> Retry
          </button>
          <button type="button" class="button quiet" onClick={() => go({ tab: "agents", id: task })}>
            <Icon name="agents" /> Open transcript
          </button>
        </div>
      )}
    </section>
  );
}

const lastLines = 12;
