/** Between what a sub-agent did and what it has changed; with the changes, what becomes of them. */
import { discard } from "../data/review.ts";
import type { Task } from "../data/tasks.ts";
import { ask } from "../ui/ask.tsx";
import { attempt } from "../ui/attempt.ts";
import { copy } from "../ui/copy.ts";
import { Icon } from "../ui/icon.tsx";
import { say } from "../ui/toasts.tsx";
import { showSplit, split } from "./layout.ts";
import { askMerge } from "./merge-dialog.tsx";
import { keepOthers } from "./others.tsx";
import { Changed } from "./patch-row.tsx";

type View = "transcript" | "changes";

interface Props {
  task: Task;
  shown: View;
  onShow(view: View): void;
}

export const ReviewBar = ({ task, shown, onShow }: Props) => (
  <div class="review-bar">
    <div class="modes" role="group" aria-label="What is shown">
      {(["transcript", "changes"] as const).map((view) => (
        <button
          key={view}
          type="button"
          class="button quiet chip"
          aria-pressed={shown === view}
          onClick={() => onShow(view)}
        >
          {view === "transcript" ? "Transcript" : "Changes"}
          {view === "changes" && task.worktree?.insertions !== null && task.worktree && (
            <Changed added={task.worktree.insertions} removed={task.worktree.deletions} />
          )}
        </button>
      ))}
    </div>
    <Fate task={task} />
    {shown === "changes" && <Layout />}
    {shown === "changes" && canDecide(task) && <Decide task={task} />}
  </div>
);

export const canDecide = ({ status, worktree }: Task) => status === "finished" && worktree?.state === "kept";

/** What was decided. */
function Fate({ task: { worktree } }: { task: Task }) {
  const state = worktree?.state;
  const text =
    state === "merged" ? `merged into ${worktree!.mergedInto}` : state === "discarded" ? "discarded" : "";
  return (
    <span class="fate" data-state={state} title={text}>
      {text}
    </span>
  );
}

const Layout = () => (
  <button
    type="button"
    class="button quiet chip layouts"
    aria-pressed={split.value}
    onClick={() => showSplit(!split.value)}
  >
    Side by side
  </button>
);

const Decide = ({ task }: { task: Task }) => (
  <>
    <button type="button" class="button quiet danger" onClick={() => void askDiscard(task)}>
      <Icon name="trash" /> <span class="label">Discard</span>
    </button>
    <button type="button" class="button primary" onClick={() => askMerge(task)}>
      <Icon name="check" /> Merge
    </button>
  </>
);

export async function askDiscard(task: Task): Promise<void> {
  const sure = await ask({
    title: `Discard what ${task.name} has changed?`,
    text: `Its worktree and the branch ${task.worktree?.branch} are deleted. git keeps the commit for a while.`,
    button: "Discard",
  });
  if (!sure) return;
  await attempt(async () => {
    const { branch, commit, others } = await discard(task);
    keepOthers(task, others);
    const command = commit && `git branch ${branch} ${commit}`;
    say({
      text: `Discarded ${branch}`,
      seconds: 20,
      ...(command && {
        detail: `${command} brings it back.`,
        action: { label: "Copy", run: () => void copy(command, "Command copied") },
      }),
    });
  });
}
