/** A task: what it is to do and how. Until it starts it can be changed, moved and removed. */
import { asSentence, me } from "../data/api.ts";
import { useDraft } from "../data/drafts.ts";
import { useLoaded } from "../data/store.ts";
import {
  addressOf,
  allTasks,
  canRetry,
  isCalledOff,
  retry,
  statusOf,
  type Task,
  tasks,
} from "../data/tasks.ts";
import { go } from "../router.ts";
import { attempt } from "../ui/attempt.ts";
import { DetailHeader } from "../ui/detail.tsx";
import { Trouble } from "../ui/empty.tsx";
import { TextArea } from "../ui/field.tsx";
import { Icon } from "../ui/icon.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import { StatusTag } from "../ui/status.tsx";
import { Age } from "../ui/time.tsx";
import { Dependencies } from "./dependencies.tsx";

interface Props {
  task: Task;
  onMove(step: 1 | -1): void;
  onRemove(): void;
}

const sentence = (text: string) => `${asSentence(text.replace(`by "${me}"`, "by you"))}.`;

const waits = ({ status }: Task) => status === "queued" || status === "waiting";

const factsOf = (task: Task): [string, string | null][] => [
  ["Profile", task.profile ?? "default"],
  ["Model", task.model],
  ["Priority", task.priority],
  ["Timeout", task.timeoutSeconds === null ? null : `${task.timeoutSeconds} s`],
  ["After", task.after.join(", ") || null],
  ["Retries", task.retries ? String(task.retries) : null],
  ["Worker", task.worker],
  ["Folder", task.cwd],
  ["Pushed by", task.parent],
];

export function TaskDetail({ task, onMove, onRemove }: Props) {
  const {
    value,
    problem,
    retry: reload,
  } = useLoaded(
    { fetch: () => tasks.show(task.id), changedBy: ({ payload }) => payload.task === task.name },
    [task.id],
  );
  return (
    <article class="entry-detail" aria-label={task.name}>
      <DetailHeader
        tab="queue"
        face={task.name}
        title={task.name}
        more={
          <>
            pushed <Age at={task.createdAt} />
          </>
        }
      >
        <StatusTag status={statusOf(task)} />
        <Actions task={task} onMove={onMove} onRemove={onRemove} />
      </DetailHeader>
      <div class="detail-body" tabIndex={0} role="region" aria-label={`About ${task.name}`}>
        <dl class="facts">
          {factsOf(task).map(
            ([name, fact]) =>
              fact !== null && (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{fact}</dd>
                </div>
              ),
          )}
        </dl>
        {task.error && (
          <p class={isCalledOff(task) ? "hint" : "gone"}>
            {!isCalledOff(task) && <Icon name="warning" />}{" "}
            <span>{isCalledOff(task) ? sentence(task.error) : task.error}</span>
          </p>
        )}
        <Dependencies name={task.name} tasks={allTasks()} />
        {problem && !value && <Trouble {...problem} retry={reload} />}
        {value && (
          <Prompt key={value.task.prompt} task={task} prompt={value.task.prompt} changeable={waits(task)} />
        )}
      </div>
    </article>
  );
}

const Actions = ({ task, onMove, onRemove }: Props) =>
  waits(task) ? (
    <>
      <IconButton icon="up" label="Move up" short="Up" hotkey="Alt ↑" onClick={() => onMove(-1)} />
      <IconButton icon="down" label="Move down" short="Down" hotkey="Alt ↓" onClick={() => onMove(1)} />
      <IconButton icon="trash" label="Remove" hotkey="Del" onClick={onRemove} />
    </>
  ) : (
    <>
      {canRetry(task) && (
        <button
          type="button"
          class="button quiet"
          title="Start it; its result comes to you"
          onClick={() => void attempt(() => retry(task.id), `Started ${task.name} again`)}
        >
          <Icon name={task.startedAt === null ? "play" : "refresh"} />{" "}
          {task.startedAt === null ? "Start" : "Retry"}
        </button>
      )}
      {task.startedAt !== null && (
        <button type="button" class="button quiet" onClick={() => go({ tab: "agents", id: addressOf(task) })}>
          <Icon name="agents" /> Transcript
        </button>
      )}
    </>
  );

/** The whole of it: the list has only its first line. */
function Prompt({ task, prompt, changeable }: { task: Task; prompt: string; changeable: boolean }) {
  const text = useDraft(`prompt of ${task.name}`, prompt);
  if (!changeable)
    return (
      <pre class="prompt" tabIndex={0}>
        {prompt}
      </pre>
    );
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        void attempt(() => tasks.edit(task, { prompt: text.value.trim() }), "Prompt changed");
      }}
    >
      <TextArea label="Prompt" text={text} />
      <div class="card-actions">
        <button type="submit" class="button" disabled={text.value.trim() === "" || text.value === prompt}>
          Save prompt
        </button>
      </div>
    </form>
  );
}
