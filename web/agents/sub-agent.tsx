/** A sub-agent: what it does or has done, what it has changed, and what can be done with it. */
import { usageBrief, usageText } from "../../src/contract/usage-text.ts";
import { useLoaded } from "../data/store.ts";
import { addressOf, canRetry, retry, statusOf, type Task, tasks } from "../data/tasks.ts";
import { useWaits, type Wait } from "../data/waits.ts";
import { headline } from "../inbox/words.ts";
import type { Command } from "../palette/commands.ts";
import { useOpenCommands } from "../palette/open-commands.ts";
import { Changes } from "../review/changes.tsx";
import { askMerge, MergeDialog } from "../review/merge-dialog.tsx";
import { Others } from "../review/others.tsx";
import { askDiscard, canDecide, ReviewBar } from "../review/review-bar.tsx";
import { query, setQuery } from "../router.ts";
import { ask } from "../ui/ask.tsx";
import { attempt } from "../ui/attempt.ts";
import { DetailHeader } from "../ui/detail.tsx";
import { Icon } from "../ui/icon.tsx";
import { PlaceLink } from "../ui/place-link.tsx";
import { StatusTag } from "../ui/status.tsx";
import { Elapsed, span } from "../ui/time.tsx";
import { ResumeButton } from "./resume-button.tsx";
import { Transcript } from "./transcript.tsx";

/** Whether there is, or was, something on a branch of its own. */
const hasChanges = ({ worktree }: Task) =>
  worktree !== null && worktree.branch !== null && worktree.state !== "empty";

export function SubAgent({ task }: { task: Task }) {
  const changes = hasChanges(task);
  const { value } = useLoaded(
    {
      fetch: () => tasks.show(task.id),
      changedBy: ({ eventType }) => eventType.startsWith("task."),
    },
    [task.id],
    task.status,
  );
  useOpenCommands(commandsOn(task, changes));
  const waits = useWaits();
  const wait = task.status === "finished" ? undefined : waits.get(task.name);
  const shown = changes && query.value.get("view") === "changes" ? "changes" : "transcript";
  return (
    <article class="entry-detail" aria-label={task.name}>
      <Header task={task} resume={value?.resume ?? null} />
      {wait && <Waiting wait={wait} />}
      {changes && <ReviewBar task={task} shown={shown} onShow={showView} />}
      {shown === "changes" && <Others task={task} />}
      {shown === "changes" ? (
        <Changes task={task} review={value?.task.review ?? null} />
      ) : (
        <Transcript task={task} prompt={value?.task.prompt} wait={wait} />
      )}
      <MergeDialog />
    </article>
  );
}

const showView = (view: "changes" | "transcript") =>
  setQuery({ view: view === "changes" ? view : undefined });

const startOver = ({ id, name }: Task) => void attempt(() => retry(id), `Started ${name} again`);

const Waiting = ({ wait: { for: who, entry } }: { wait: Wait }) =>
  entry ? (
    <PlaceLink class="waits-for-you" to={{ tab: "inbox", id: entry.id }}>
      <Icon name="help" /> <strong>Waiting for you:</strong> {headline(entry)}
    </PlaceLink>
  ) : (
    <PlaceLink class="waits-for-you" to={{ tab: "agents", id: who }}>
      <Icon name="help" /> <strong>Waiting for {who}</strong> to allow or deny a tool
    </PlaceLink>
  );

/** What `Ctrl K` offers for it. */
const commandsOn = (task: Task, changes: boolean): Command[] => [
  ...(changes
    ? [
        { icon: "file" as const, name: "Show what it has changed", run: () => showView("changes") },
        { icon: "agents" as const, name: "Show its transcript", run: () => showView("transcript") },
      ]
    : []),
  ...(canDecide(task)
    ? [
        { icon: "check" as const, name: "Merge its changes", run: () => askMerge(task) },
        { icon: "trash" as const, name: "Discard its changes", run: () => void askDiscard(task) },
      ]
    : []),
  ...(canRetry(task) ? [{ icon: "refresh" as const, name: "Retry", run: () => startOver(task) }] : []),
  ...(task.status === "running" ? [{ icon: "stop" as const, name: "Kill", run: () => void kill(task) }] : []),
];

function Header({ task, resume }: { task: Task; resume: readonly string[] | null }) {
  const running = task.status === "running";
  const profile = [task.profile, task.model].filter(Boolean).join(" · ") || "default profile";
  return (
    <DetailHeader
      tab="agents"
      face={task.name}
      title={task.name}
      more={
        <>
          {addressOf(task) !== task.name && "an earlier task of this name · "}
          {profile} · pushed by {task.parent} <Duration task={task} /> <Used task={task} />
        </>
      }
    >
      <StatusTag status={statusOf(task)} />
      {resume && <ResumeButton task={task} resume={resume} />}
      {canRetry(task) && (
        <button type="button" class="button quiet" onClick={() => startOver(task)}>
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

/** As far as its program reports it; with what it started, where that is more. */
function Used({ task: { usage, usageTotal } }: { task: Task }) {
  if (!usageTotal) return null;
  const more = usageTotal.tokens !== usage?.tokens || usageTotal.costUsd !== usage?.costUsd;
  return (
    <span
      class="used"
      title={
        usage
          ? `${usageText(usage)}${more ? `; with what it started: ${usageText(usageTotal)}` : ""}`
          : undefined
      }
    >
      · {usageBrief(usageTotal)}
      {more && usage && " in all"}
    </span>
  );
}

function Duration({ task: { startedAt, finishedAt } }: { task: Task }) {
  if (!startedAt) return null;
  if (finishedAt) return <>· took {span(Date.parse(finishedAt) - Date.parse(startedAt))}</>;
  return (
    <>
      · for <Elapsed since={startedAt} />
    </>
  );
}
