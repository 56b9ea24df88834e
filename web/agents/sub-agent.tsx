/** A sub-agent: what it does or has done, what it has changed, and what can be done with it. */
import { retry, statusOf, type Task, tasks } from "../data/tasks.ts";
import { Changes } from "../review/changes.tsx";
import { MergeDialog } from "../review/merge-dialog.tsx";
import { ReviewBar } from "../review/review-bar.tsx";
import { query, setQuery } from "../router.ts";
import { ask } from "../ui/ask.tsx";
import { attempt } from "../ui/attempt.ts";
import { DetailHeader } from "../ui/detail.tsx";
import { Icon } from "../ui/icon.tsx";
import { StatusTag } from "../ui/status.tsx";
import { Age, span } from "../ui/time.tsx";
import { ResumeButton } from "./resume-button.tsx";
import { Transcript } from "./transcript.tsx";

/** Whether there is, or was, something on a branch of its own. */
const hasChanges = ({ worktree }: Task) =>
  worktree !== null && worktree.branch !== null && worktree.state !== "empty";

export function SubAgent({ task }: { task: Task }) {
  const changes = hasChanges(task);
  const shown = changes && query.value.get("view") === "changes" ? "changes" : "transcript";
  return (
    <article class="entry-detail" aria-label={task.name}>
      <Header task={task} />
      {changes && (
        <ReviewBar
          task={task}
          shown={shown}
          onShow={(view) => setQuery({ view: view === "changes" ? view : undefined })}
        />
      )}
      {shown === "changes" ? <Changes task={task} /> : <Transcript task={task} />}
      <MergeDialog />
    </article>
  );
}

function Header({ task }: { task: Task }) {
  const running = task.status === "running";
  const profile = [task.profile, task.model].filter(Boolean).join(" · ") || "default profile";
  return (
    <DetailHeader
      tab="agents"
      face={task.name}
      title={task.name}
      more={
        <>
          {profile} · pushed by {task.parent} <Duration task={task} />
        </>
      }
    >
      <StatusTag status={statusOf(task)} />
      <ResumeButton task={task} />
      {task.status === "finished" && task.success === false && (
        <button
          type="button"
          class="button quiet"
          onClick={() => void attempt(() => retry(task.name), `Started ${task.name} again`)}
        >
          <Icon name="refresh" /> Retry
        </button>
      )}
      {running && (
        <button type="button" class="button quiet danger" onClick={() => void kill(task)}>
          <Icon name="stop" /> Kill
        </button>
      )}
    </DetailHeader>
  );
}

async function kill(task: Task): Promise<void> {
  const sure = await ask({
    title: `Kill ${task.name}?`,
    text: `It and all that it has started end at once. ${task.parent} is told that it was killed.`,
    button: "Kill",
  });
  if (sure) await attempt(() => tasks.kill(task), `Killed ${task.name}`);
}

function Duration({ task: { startedAt, finishedAt } }: { task: Task }) {
  if (!startedAt) return null;
  if (finishedAt) return <>· took {span(Date.parse(finishedAt) - Date.parse(startedAt))}</>;
  return (
    <>
      · started <Age at={startedAt} />
    </>
  );
}
