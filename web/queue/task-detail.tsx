/** A task: what it is to do and how; before it starts it can be changed, moved and removed. */
import { useSignal } from "@preact/signals";
import { type Task, tasks } from "../data/tasks.ts";
import { go } from "../router.ts";
import { attempt } from "../ui/attempt.ts";
import { BackButton } from "../ui/columns.tsx";
import { Face } from "../ui/face.tsx";
import { Icon } from "../ui/icon.tsx";
import { StatusTag } from "../ui/status.tsx";
import { Age } from "../ui/time.tsx";
import { useLive } from "../ui/use-live.ts";

interface Props {
  task: Task;
  onMove(step: 1 | -1): void;
  onRemove(): void;
}

export function TaskDetail({ task, onMove, onRemove }: Props) {
  const { value } = useLive(
    () => tasks.show(task.name),
    ({ payload }) => payload.task === task.name,
    [task.name],
  );
  const whole = value?.task;
  const waits = task.status === "queued" || task.status === "waiting";
  const facts: [string, string | null][] = [
    ["Profile", task.profile ?? "the default"],
    ["Model", task.model],
    ["Priority", task.priority],
    ["Timeout", task.timeoutSeconds === null ? null : `${task.timeoutSeconds} s`],
    ["After", task.after.join(", ") || null],
    ["Retries", task.retries ? String(task.retries) : null],
    ["Worker", task.worker],
    ["Folder", task.cwd],
    ["For", task.parent],
  ];
  return (
    <article class="entry-detail" aria-label={task.name}>
      <header class="detail-header">
        <BackButton tab="queue" />
        <Face name={task.name} />
        <div class="detail-title">
          <h1>{task.name}</h1>
          <p>
            pushed <Age at={task.createdAt} />
          </p>
        </div>
        <StatusTag status={task.status === "finished" ? (task.success ? "done" : "failed") : task.status} />
        {waits && (
          <>
            <button
              type="button"
              class="icon-button"
              aria-label="Earlier"
              title="Earlier (Alt ↑)"
              onClick={() => onMove(-1)}
            >
              <Icon name="up" />
            </button>
            <button
              type="button"
              class="icon-button"
              aria-label="Later"
              title="Later (Alt ↓)"
              onClick={() => onMove(1)}
            >
              <Icon name="down" />
            </button>
            <button
              type="button"
              class="icon-button"
              aria-label="Remove"
              title="Remove (Del)"
              onClick={onRemove}
            >
              <Icon name="trash" />
            </button>
          </>
        )}
        {!waits && (
          <button type="button" class="button quiet" onClick={() => go({ tab: "agents", id: task.name })}>
            <Icon name="agents" /> Transcript
          </button>
        )}
      </header>
      <div class="detail-body" tabIndex={0} role="region" aria-label={`About ${task.name}`}>
        <dl class="facts">
          {facts.map(
            ([name, value]) =>
              value !== null && (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{value}</dd>
                </div>
              ),
          )}
        </dl>
        {task.error && (
          <p class="gone">
            <Icon name="warning" /> {task.error}
          </p>
        )}
        {whole && <Prompt key={whole.prompt} task={task} prompt={whole.prompt} changeable={waits} />}
      </div>
    </article>
  );
}

/** The whole of it: the list has only its first line. */
function Prompt({ task, prompt, changeable }: { task: Task; prompt: string; changeable: boolean }) {
  const text = useSignal(prompt);
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
        void attempt(() => tasks.edit(task, { prompt: text.value.trim() }), "Changed");
      }}
    >
      <label>
        Prompt
        <textarea
          rows={8}
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value;
          }}
        />
      </label>
      <div class="card-actions">
        <button type="submit" class="button" disabled={text.value.trim() === "" || text.value === prompt}>
          Change
        </button>
      </div>
    </form>
  );
}
