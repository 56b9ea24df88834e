/** Threads by status, and the one that is open. */
import { useEffect, useMemo } from "preact/hooks";
import { onEvent, onHealed } from "../data/live.ts";
import {
  hasMore,
  loaded,
  loadMore,
  loadThreads,
  problem,
  type Status,
  type Thread,
  threads,
  type Which,
  which,
} from "../data/threads.ts";
import { useKeys } from "../keys.ts";
import { go, pathOf, place } from "../router.ts";
import { Columns, useListKeys } from "../ui/columns.tsx";
import { Empty, Trouble } from "../ui/empty.tsx";
import { Face } from "../ui/face.tsx";
import { LongList, type Row } from "../ui/long-list.tsx";
import { Age } from "../ui/time.tsx";
import { ThreadDetail } from "./thread-detail.tsx";

const order: [string, Status[]][] = [
  ["Blocked", ["blocked"]],
  ["In progress", ["in_progress", "claimed"]],
  ["Pending", ["pending"]],
  ["Failed", ["failed"]],
  ["Done", ["done"]],
  ["Cancelled", ["cancelled"]],
];

function rowsOf(list: readonly Thread[]): Row<Thread>[] {
  return order.flatMap(([head, statuses]) => {
    const found = list.filter(({ status }) => statuses.includes(status));
    return found.length
      ? [{ head, count: found.length }, ...found.map((item) => ({ id: item.threadId, item }))]
      : [];
  });
}

export function Threads() {
  const list = threads.value;
  const rows = useMemo(() => rowsOf(list), [list]);
  const { id } = place.value;
  const { follow, detail } = useListKeys("threads", rows);
  useKeys({ r: () => detail.current?.querySelector<HTMLElement>("textarea")?.focus() });
  useEffect(() => {
    void loadThreads();
    const stops = [
      onEvent(({ threadId }) => threadId !== null && void loadThreads()),
      onHealed(() => void loadThreads()),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, []);
  const pick = (asked: Which) => {
    which.value = asked;
    threads.value = [];
    loaded.value = false;
    void loadThreads();
  };
  return (
    <Columns
      label="Threads"
      detail={detail}
      list={
        <>
          <header class="list-header">
            <h1>Threads</h1>
            {(["open", "ended", "all"] as const).map((one) => (
              <button
                key={one}
                type="button"
                class="button quiet chip"
                aria-pressed={which.value === one}
                onClick={() => pick(one)}
              >
                {one[0]!.toUpperCase() + one.slice(1)}
              </button>
            ))}
          </header>
          {problem.value && !loaded.value ? (
            <Trouble {...problem.value} again={() => void loadThreads()} />
          ) : loaded.value && !list.length ? (
            <Empty
              icon="threads"
              title={which.value === "all" ? "No threads yet" : `No ${which.value} threads`}
              command={'inbox send --from leader --to worker --subject "Add login"'}
            >
              A thread is one piece of work: somebody sends it, a worker claims it, asks, and finishes it.
            </Empty>
          ) : (
            <LongList
              label="Threads"
              rows={rows}
              current={id}
              follow={follow}
              onEnd={() => hasMore.peek() && void loadMore().catch(() => {})}
              render={(thread) => <ThreadRow thread={thread} open={thread.threadId === id} />}
            />
          )}
        </>
      }
    >
      {id === undefined ? (
        <Empty icon="threads" title="No thread is open">
          Choose one on the left to see its history, its lease, and to answer.
        </Empty>
      ) : (
        <ThreadDetail key={id} id={id} />
      )}
    </Columns>
  );
}

const ThreadRow = ({ thread, open }: { thread: Thread; open: boolean }) => (
  <div class="row" data-open={open}>
    <a
      class="row-link"
      href={pathOf({ tab: "threads", id: thread.threadId })}
      aria-current={open ? "true" : undefined}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey) return;
        event.preventDefault();
        go({ tab: "threads", id: thread.threadId });
      }}
    >
      <Face name={thread.assignedTo} />
      <span class="row-text">
        <span class="row-title strong">{thread.subject}</span>
        <span class="row-more">
          <span>
            {thread.createdBy} → {thread.assignedTo}
          </span>
          {thread.priority !== "normal" && (
            <span class="tag" data-tone={thread.priority === "high" ? "warn" : undefined}>
              {thread.priority}
            </span>
          )}
        </span>
      </span>
      <span class="row-time">
        <Age at={thread.updatedAt} />
      </span>
    </a>
  </div>
);
