/** How and where to merge. What is in the way is said here, where another way can be chosen. */
import { type Signal, signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { type Problem, problemOf } from "../data/api.ts";
import { type MergeOptions, merge } from "../data/review.ts";
import type { Task } from "../data/tasks.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Icon } from "../ui/icon.tsx";
import { modKey, withMod } from "../ui/mod-key.ts";
import { say } from "../ui/toasts.tsx";
import { keepOthers } from "./others.tsx";
import { keepOutcome } from "./outcome.tsx";

const merging = signal<Task | undefined>(undefined);
export const askMerge = (task: Task) => {
  merging.value = task;
};

const ways: Record<MergeOptions["how"], string> = {
  merge: "A merge commit",
  squash: "One commit (squash)",
  rebase: "Its commits on top (rebase)",
};

export function MergeDialog() {
  const task = merging.value;
  if (!task) return null;
  const close = () => {
    merging.value = undefined;
  };
  return <MergeForm key={task.id} task={task} onClose={close} />;
}

/** In the words of this form. */
const hintOf = ({ hint }: Problem) =>
  /updateCheckout/i.test(hint)
    ? "Tick the box above to update that checkout too; its uncommitted changes are never overwritten. Or merge into another branch."
    : hint;

function MergeForm({ task, onClose }: { task: Task; onClose(): void }) {
  const how = useSignal<MergeOptions["how"]>("merge");
  const into = useSignal(task.worktree?.into ?? "");
  const updateCheckout = useSignal(false);
  const noResume = useSignal(false);
  const busy = useSignal(false);
  const problem = useSignal<Problem | undefined>(undefined);
  const submit = async () => {
    if (busy.value || into.value.trim() === "") return;
    busy.value = true;
    problem.value = undefined;
    try {
      const outcome = await merge(task, {
        how: how.value,
        into: into.value.trim(),
        updateCheckout: updateCheckout.value,
        noResume: noResume.value,
      });
      keepOutcome(task, outcome);
      keepOthers(task, outcome.others);
      if (outcome.merged)
        say({
          text: outcome.already
            ? `${task.name} was merged before`
            : `Merged ${task.name} into ${outcome.into}`,
          detail: outcome.commit ? `${outcome.into} is at ${outcome.commit.slice(0, 8)}` : undefined,
        });
      onClose();
    } catch (error) {
      problem.value = problemOf(error);
    }
    busy.value = false;
  };
  return (
    <Dialog label={`Merge ${task.name}`} class="small" onClose={onClose}>
      <form
        class="dialog-form"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
        onKeyDown={withMod("Enter", () => void submit())}
      >
        <h1>Merge {task.name}</h1>
        <label>
          Into the branch
          <input
            value={into.value}
            onInput={(event) => {
              into.value = event.currentTarget.value;
            }}
          />
        </label>
        <Ways how={how} />
        <Check on={updateCheckout}>Update the checkout that has this branch</Check>
        {task.session !== null && (
          <Check on={noResume}>Only report a conflict or a failed check; do not resume {task.name}</Check>
        )}
        {problem.value && <InTheWay {...problem.value} />}
        <div class="card-actions">
          {busy.value && <span class="receiver">Merging elsewhere, and running the check …</span>}
          <button type="button" class="button quiet" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button primary" disabled={busy.value || into.value.trim() === ""}>
            Merge <kbd>{modKey}↵</kbd>
          </button>
        </div>
      </form>
    </Dialog>
  );
}

const Check = ({ on, children }: { on: Signal<boolean>; children: ComponentChildren }) => (
  <label class="check">
    <input
      type="checkbox"
      checked={on.value}
      onChange={(event) => {
        on.value = event.currentTarget.checked;
      }}
    />
    <span>{children}</span>
  </label>
);

const Ways = ({ how }: { how: Signal<MergeOptions["how"]> }) => (
  <fieldset class="ways">
    <legend class="hidden">How</legend>
    {(Object.keys(ways) as MergeOptions["how"][]).map((one) => (
      <label key={one} class="check">
        <input
          type="radio"
          name="how"
          checked={how.value === one}
          onChange={() => {
            how.value = one;
          }}
        />
        {ways[one]}
      </label>
    ))}
  </fieldset>
);

const InTheWay = (problem: Problem) => (
  <p class="gone" role="alert">
    <Icon name="warning" />{" "}
    <span>
      {problem.message}. {hintOf(problem)}
    </span>
  </p>
);
