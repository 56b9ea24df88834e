/** A merge that did not work: why, who was told, and what to do now. */
import { signal } from "@preact/signals";
import type { Merged } from "../data/review.ts";
import type { Task } from "../data/tasks.ts";
import { Icon } from "../ui/icon.tsx";
import { LinkButton } from "../ui/link-button.tsx";

/** What the last merge of a task came to, for as long as it says something about how the task is now. */
const outcomes = signal<ReadonlyMap<string, Merged>>(new Map());

export function keepOutcome({ id }: Task, outcome: Merged | undefined): void {
  const next = new Map(outcomes.peek());
  if (outcome) next.set(id, outcome);
  else next.delete(id);
  outcomes.value = next;
}

const titles: Record<NonNullable<Merged["reason"]>, (into: string) => string> = {
  conflict: (into) => `It conflicts with ${into}`,
  prepare: (into) => `It was merged into ${into} for a check, and prepare failed there`,
  check: (into) => `It was merged into ${into} for a check, and the check failed`,
};

export function OutcomePanel({ task }: { task: Task }) {
  const outcome = outcomes.value.get(task.id);
  if (!outcome?.reason) return null;
  const { reason, into, conflicts, output, told } = outcome;
  return (
    <section class="failure" role="alert" aria-label="Not merged">
      <p class="failure-reason">
        <Icon name="warning" />
        <span>
          <strong>Not merged. {titles[reason](into)}.</strong> {whatNow(outcome, task)}
        </span>
      </p>
      {conflicts.length > 0 && (
        <ul class="conflicts">
          {conflicts.map((path) => (
            <li key={path}>
              <code>{path}</code>
            </li>
          ))}
        </ul>
      )}
      {output && <pre tabIndex={0}>{output}</pre>}
      <p class="failure-actions">
        <LinkButton onClick={() => keepOutcome(task, undefined)}>Dismiss</LinkButton>
        {told === null && <span class="hint">Nothing was changed anywhere.</span>}
      </p>
    </section>
  );
}

function whatNow({ told, into }: Merged, { name }: Task): string {
  if (told === name) return `${name} was told, and works on it now; merge again when it has finished.`;
  const heard = told === null ? "" : `${told} was told. `;
  return `${heard}Send it back below and ask ${name} to merge ${into} into its branch and fix this, or discard it.`;
}
