/** Threads by status, and the one that is open. */
import { useMemo } from "preact/hooks";
import { useStore } from "../data/store.ts";
import { type Status, type Thread, threads, type Which } from "../data/threads.ts";
import { plainTitle } from "../documents/plain-text.ts";
import { place } from "../router.ts";
import { DraftTag } from "../ui/draft-tag.tsx";
import { Empty } from "../ui/empty.tsx";
import { Face } from "../ui/face.tsx";
import { grouped } from "../ui/groups.ts";
import { useListKeys } from "../ui/list-keys.ts";
import { ListTab } from "../ui/list-tab.tsx";
import { Row } from "../ui/row.tsx";
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

const filters: [Which, string][] = [
  ["open", "Open"],
  ["ended", "Ended"],
  ["all", "All"],
];

export function Threads() {
  const loaded = useStore(threads);
  const rows = useMemo(() => {
    const { items = [], hasMore = false } = loaded.value ?? {};
    const groups = order.map(
      ([head, statuses]) => [head, items.filter(({ status }) => statuses.includes(status))] as const,
    );
    return grouped(groups, ({ threadId }) => threadId, hasMore);
  }, [loaded.value]);
  const { id } = place.value;
  const keys = useListKeys("threads", rows);
  const which = threads.filter.value;
  return (
    <ListTab
      tab="threads"
      loaded={loaded}
      rows={rows}
      keys={keys}
      tools={filters.map(([one, name]) => (
        <button
          key={one}
          type="button"
          class="button quiet chip"
          aria-pressed={which === one}
          onClick={() => void threads.choose(one)}
        >
          {name}
        </button>
      ))}
      empty={
        <Empty
          icon="threads"
          title={which === "all" ? "No threads yet" : `No ${which} threads`}
          command={'inbox send --from leader --to worker --subject "Add login"'}
        >
          A thread is one piece of work. Somebody sends it; a worker claims it, asks questions and finishes
          it:
        </Empty>
      }
      onEnd={threads.more}
      render={(thread) => <ThreadRow thread={thread} open={thread.threadId === id} />}
    >
      {id === undefined ? (
        <Empty icon="threads" title="No thread is open">
          Open one to read its history, see its lease and reply.
        </Empty>
      ) : (
        <ThreadDetail key={id} id={id} />
      )}
    </ListTab>
  );
}

const ThreadRow = ({ thread, open }: { thread: Thread; open: boolean }) => (
  <Row
    to={{ tab: "threads", id: thread.threadId }}
    open={open}
    lead={<Face name={thread.assignedTo} />}
    title={plainTitle(thread.subject)}
    more={
      <>
        <span>
          {thread.createdBy} → {thread.assignedTo}
        </span>
        <DraftTag name={`thread ${thread.threadId}`} />
        {thread.priority !== "normal" && (
          <span class="tag" data-tone={thread.priority === "high" ? "warn" : undefined}>
            {thread.priority}
          </span>
        )}
      </>
    }
    side={<Age at={thread.updatedAt} />}
  />
);
