/** The queue: tasks that wait, run and have finished. */
import { useMemo } from "preact/hooks";
import { useStore } from "../data/store.ts";
import { addressOf, queue, type Task, taskNamed, tasks } from "../data/tasks.ts";
import { useWaits } from "../data/waits.ts";
import { useKeys } from "../keys.ts";
import { go, place } from "../router.ts";
import { ask } from "../ui/ask.tsx";
import { attempt } from "../ui/attempt.ts";
import { Missing, NotLoaded } from "../ui/detail.tsx";
import { Empty } from "../ui/empty.tsx";
import { grouped } from "../ui/groups.ts";
import { Icon } from "../ui/icon.tsx";
import { useListKeys } from "../ui/list-keys.ts";
import { ListTab } from "../ui/list-tab.tsx";
import { say } from "../ui/toasts.tsx";
import { PushForm } from "./push-form.tsx";
import { TaskDetail } from "./task-detail.tsx";
import { TaskRow } from "./task-row.tsx";

/** No task has this name: a name does not begin with a dash. */
const newTask = "-";

/** Where a task was dropped. */
function put(queued: readonly Task[], name: string, side: "before" | "after", target: string): void {
  const task = queued.find((one) => one.name === name);
  if (task) void attempt(() => tasks.move(task, side === "before" ? { before: target } : { behind: target }));
}

/** What is done with the task that is open. */
function actionsOn(queued: readonly Task[], open: Task | undefined) {
  return {
    move(step: 1 | -1) {
      const at = queued.findIndex(({ name }) => name === open?.name);
      const other = queued[at + step];
      if (at < 0 || !other || !open) return;
      void attempt(() => tasks.move(open, step === 1 ? { behind: other.name } : { before: other.name }));
    },
    async remove() {
      if (!open) return;
      if (open.status === "running" || open.status === "finished") {
        const instead = open.status === "running" ? "Its transcript has a button that kills it." : "";
        say({ text: `${open.name} is ${open.status}: only queued tasks can be removed`, detail: instead });
        return;
      }
      const sure = await ask({
        title: `Remove ${open.name} from the queue?`,
        text: "Its prompt is deleted with it. Tasks that come after it will not start.",
        button: "Remove",
      });
      if (sure && (await attempt(() => tasks.remove(open), `Removed ${open.name}`)))
        go({ tab: "queue" }, { replace: true });
    },
  };
}

export function Queue() {
  const loaded = useStore(queue);
  const { queued = [], running = [], finished = [], hasMore = false } = loaded.value ?? {};
  const rows = useMemo(
    () =>
      grouped(
        [
          ["Running", running],
          ["Queued", queued],
          // Newest first, as in every list; the command line has them the other way, nearest to where one types.
          ["Finished", finished.toReversed()],
        ],
        addressOf,
        hasMore,
      ),
    [loaded.value],
  );
  const { id } = place.value;
  const keys = useListKeys("queue", rows);
  const waits = useWaits();
  const actions = actionsOn(queued, id === undefined ? undefined : taskNamed(id));
  useKeys({
    n: () => go({ tab: "queue", id: newTask }),
    "alt+ArrowDown": () => actions.move(1),
    "alt+ArrowUp": () => actions.move(-1),
    J: () => actions.move(1),
    K: () => actions.move(-1),
    Delete: () => void actions.remove(),
  });
  return (
    <ListTab
      tab="queue"
      loaded={loaded}
      rows={rows}
      keys={keys}
      tools={<Tools queued={queued} />}
      empty={
        <Empty icon="queue" title="The queue is empty" command={'orch push "Research the API" && orch run'}>
          Push tasks and run them. Each result goes to the inbox of the agent that pushed the task:
        </Empty>
      }
      render={(task) => (
        <TaskRow
          task={task}
          open={addressOf(task) === id}
          wait={task.status === "running" ? waits.get(task.name) : undefined}
          movable={queued.includes(task)}
          onDrop={(name, side, target) => put(queued, name, side, target)}
        />
      )}
    >
      <Detail id={id} loaded={loaded} actions={actions} />
    </ListTab>
  );
}

/** A queue belongs to whoever pushed into it, and is started as a whole. */
const runAll = (queued: readonly Task[]) =>
  attempt(async () => {
    const waiting = queued.filter(({ status }) => status === "queued");
    for (const owner of new Set(waiting.map(({ parent }) => parent))) await tasks.run(owner);
  }, "Started");

const Tools = ({ queued }: { queued: readonly Task[] }) => (
  <>
    <button type="button" class="button quiet" onClick={() => go({ tab: "queue", id: newTask })}>
      <Icon name="plus" /> Push
    </button>
    <button
      type="button"
      class="button"
      disabled={!queued.length}
      title="Start all queued tasks"
      onClick={() => void runAll(queued)}
    >
      <Icon name="play" /> Run
    </button>
  </>
);

interface DetailProps {
  id: string | undefined;
  loaded: ReturnType<typeof useStore>;
  actions: ReturnType<typeof actionsOn>;
}

function Detail({ id, loaded, actions }: DetailProps) {
  if (id === newTask) return <PushForm />;
  const open = id === undefined ? undefined : taskNamed(id);
  if (open)
    return (
      <TaskDetail key={open.id} task={open} onMove={actions.move} onRemove={() => void actions.remove()} />
    );
  if (id !== undefined)
    return loaded.value === undefined ? (
      <NotLoaded tab="queue" noun="task" id={id} {...loaded} />
    ) : (
      <Missing tab="queue" noun="task" id={id} />
    );
  return (
    <Empty icon="queue" title="No task is open">
      <kbd>n</kbd> opens the form for a new task.
    </Empty>
  );
}
