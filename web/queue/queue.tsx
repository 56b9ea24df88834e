/** The queue: what is to be done, what is being done, what was done. */
import { useEffect, useMemo } from "preact/hooks";
import { loadQueue, queue, type Task, taskNamed, tasks } from "../data/tasks.ts";
import { useKeys } from "../keys.ts";
import { go, pathOf, place } from "../router.ts";
import { attempt } from "../ui/attempt.ts";
import { Columns, useListKeys } from "../ui/columns.tsx";
import { Empty } from "../ui/empty.tsx";
import { Face } from "../ui/face.tsx";
import { Icon } from "../ui/icon.tsx";
import { LongList, type Row } from "../ui/long-list.tsx";
import { StatusTag } from "../ui/status.tsx";
import { Age } from "../ui/time.tsx";
import { PushForm } from "./push-form.tsx";
import { TaskDetail } from "./task-detail.tsx";

/** No task is called so: a name does not begin with a dash. */
const newTask = "-";

function rowsOf({ queued, running, finished }: typeof queue.value): Row<Task>[] {
  const groups: [string, readonly Task[]][] = [
    ["Running", running],
    ["Queued", queued],
    // Newest first, as in every list; the command line has them the other way, nearest to where one types.
    ["Finished", finished.toReversed()],
  ];
  return groups.flatMap(([head, list]) =>
    list.length ? [{ head, count: list.length }, ...list.map((item) => ({ id: item.name, item }))] : [],
  );
}

export function Queue() {
  const all = queue.value;
  const rows = useMemo(() => rowsOf(all), [all]);
  const { id } = place.value;
  const { follow, detail } = useListKeys("queue", rows);
  const open = id === undefined ? undefined : taskNamed(id);
  const shift = (step: 1 | -1) => {
    const at = all.queued.findIndex(({ name }) => name === id);
    const other = all.queued[at + step];
    if (at < 0 || !other || !open) return;
    void attempt(() => tasks.move(open, step === 1 ? { behind: other.name } : { before: other.name }));
  };
  const remove = () => {
    if (open && open.status !== "running" && open.status !== "finished")
      void attempt(() => tasks.remove(open), `Removed ${open.name}`);
  };
  useKeys({
    n: () => go({ tab: "queue", id: newTask }),
    "alt+ArrowDown": () => shift(1),
    "alt+ArrowUp": () => shift(-1),
    J: () => shift(1),
    K: () => shift(-1),
    Delete: remove,
  });
  useEffect(() => {
    void loadQueue().catch(() => {});
  }, []);
  return (
    <Columns
      label="Queue"
      detail={detail}
      list={
        <>
          <header class="list-header">
            <h1>Queue</h1>
            <button type="button" class="button quiet" onClick={() => go({ tab: "queue", id: newTask })}>
              <Icon name="plus" /> Push
            </button>
            <button
              type="button"
              class="button"
              disabled={!all.queued.length}
              onClick={() => void attempt(() => tasks.run(), "Running")}
            >
              <Icon name="play" /> Run
            </button>
          </header>
          {rows.length ? (
            <LongList
              label="Tasks"
              rows={rows}
              current={id}
              follow={follow}
              render={(task) => <TaskRow task={task} open={task.name === id} />}
            />
          ) : (
            <Empty
              icon="queue"
              title="The queue is empty"
              command={'orch push "Research the API" && orch run'}
            >
              Push tasks and run them; each result goes to the inbox of whoever pushed it:
            </Empty>
          )}
        </>
      }
    >
      {id === newTask ? (
        <PushForm />
      ) : open ? (
        <TaskDetail key={open.name} task={open} onMove={shift} onRemove={remove} />
      ) : (
        <Empty icon="queue" title="No task is open">
          <kbd>n</kbd> pushes a new one.
        </Empty>
      )}
    </Columns>
  );
}

const TaskRow = ({ task, open }: { task: Task; open: boolean }) => (
  <div class="row" data-open={open}>
    <a
      class="row-link"
      href={pathOf({ tab: "queue", id: task.name })}
      aria-current={open ? "true" : undefined}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey) return;
        event.preventDefault();
        go({ tab: "queue", id: task.name });
      }}
    >
      <Face name={task.name} />
      <span class="row-text">
        <span class="row-title strong">{task.name}</span>
        <span class="row-more">
          <span>{task.summary}</span>
        </span>
      </span>
      <span class="row-time">
        {task.status === "finished" ? (
          <StatusTag status={task.success ? "done" : "failed"} />
        ) : (
          <Age at={task.startedAt ?? task.createdAt} />
        )}
      </span>
    </a>
  </div>
);
