/** Threads by status, as a list or as a board, and the one that is open. */
import { useEffect, useMemo } from "preact/hooks";
import { useStore } from "../data/store.ts";
import { chosenWhich, type ListedThread, type Status, threads, type Which } from "../data/threads.ts";
import { plainTitle } from "../documents/plain-text.ts";
import { place, query, setQuery } from "../router.ts";
import { DraftTag } from "../ui/draft-tag.tsx";
import { Empty } from "../ui/empty.tsx";
import { Face } from "../ui/face.tsx";
import { grouped } from "../ui/groups.ts";
import { IconButton } from "../ui/icon-button.tsx";
import { useListKeys } from "../ui/list-keys.ts";
import { ListTab } from "../ui/list-tab.tsx";
import { Row } from "../ui/row.tsx";
import { Age } from "../ui/time.tsx";
import { Board } from "./board.tsx";
import { LapsedTag } from "./lapsed-tag.tsx";
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
  const which = chosenWhich();
  useEffect(() => {
    if (threads.filter.peek() !== which) void threads.choose(which);
  }, [which]);
  const groups = useMemo(() => {
    const items = loaded.value?.items ?? [];
    return order.map(
      ([head, statuses]) => [head, items.filter(({ status }) => statuses.includes(status))] as const,
    );
  }, [loaded.value]);
  const hasMore = loaded.value?.hasMore ?? false;
  const rows = useMemo(() => grouped(groups, ({ threadId }) => threadId, hasMore), [groups, hasMore]);
  const { id } = place.value;
  const keys = useListKeys("threads", rows);
  const asBoard = query.value.get("view") === "board";
  return (
    <ListTab
      tab="threads"
      loaded={loaded}
      rows={rows}
      keys={keys}
      wide={asBoard}
      list={asBoard && <Board groups={groups} hasMore={hasMore} onMore={threads.more} />}
      tools={<Tools which={which} asBoard={asBoard} />}
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
      {id !== undefined ? (
        <ThreadDetail key={id} id={id} />
      ) : (
        !asBoard && (
          <Empty icon="threads" title="No thread is open">
            Open one to read its history, see its lease and reply.
          </Empty>
        )
      )}
    </ListTab>
  );
}

const Tools = ({ which, asBoard }: { which: Which; asBoard: boolean }) => (
  <>
    {filters.map(([one, name]) => (
      <button
        key={one}
        type="button"
        class="button quiet chip"
        aria-pressed={which === one}
        onClick={() => setQuery({ show: one === "all" ? undefined : one })}
      >
        {name}
      </button>
    ))}
    <IconButton
      icon="board"
      label="Show as a board"
      short="Board"
      pressed={asBoard}
      onClick={() => setQuery({ view: asBoard ? undefined : "board" })}
    />
  </>
);

const ThreadRow = ({ thread, open }: { thread: ListedThread; open: boolean }) => (
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
        <LapsedTag lease={thread.lease} />
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
