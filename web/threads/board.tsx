/** [U15] Threads as a board: a column for each status. */
import { activeStatuses } from "../../src/contract/thread.ts";
import type { ListedThread } from "../data/threads.ts";
import { useWaits, type Wait, waitingFor } from "../data/waits.ts";
import { plainTitle } from "../documents/plain-text.ts";
import { place } from "../router.ts";
import { DraftTag } from "../ui/draft-tag.tsx";
import { Face } from "../ui/face.tsx";
import { PlaceLink } from "../ui/place-link.tsx";
import { Age } from "../ui/time.tsx";
import { LapsedTag } from "./lapsed-tag.tsx";

/** More cards in a column are not looked at; the list has all. */
const cardLimit = 50;

interface Props {
  groups: readonly (readonly [head: string, items: readonly ListedThread[]])[];
  /** The hub has more than is loaded. */
  hasMore: boolean;
  onMore(): void;
}

const workerOf = ({ lease, assignedTo }: ListedThread) => lease?.agentId ?? assignedTo;

export function Board({ groups, hasMore, onMore }: Props) {
  const waits = useWaits();
  return (
    <div class="board" tabIndex={0} role="region" aria-label="Board">
      {groups
        .filter(([, items]) => items.length)
        .map(([head, items]) => (
          <section key={head} class="board-column" aria-label={head}>
            <h2 class="list-head">
              {head}
              <span class="count">{hasMore ? `${items.length}+` : items.length}</span>
            </h2>
            <div class="board-cards">
              {items.slice(0, cardLimit).map((thread) => (
                <Card key={thread.threadId} thread={thread} wait={waits.get(workerOf(thread))} />
              ))}
              {items.length > cardLimit && (
                <p class="hint">and {items.length - cardLimit} more, which the list shows</p>
              )}
              {hasMore && (
                <button type="button" class="link" onClick={onMore}>
                  Load older threads
                </button>
              )}
            </div>
          </section>
        ))}
    </div>
  );
}

const Card = ({ thread, wait }: { thread: ListedThread; wait: Wait | undefined }) => (
  <PlaceLink
    class="card-link"
    to={{ tab: "threads", id: thread.threadId }}
    current={place.value.id === thread.threadId ? "true" : undefined}
  >
    <span class="card-title">{plainTitle(thread.subject)}</span>
    <span class="card-line">
      <Face name={workerOf(thread)} />
      <span class="card-who">{workerOf(thread)}</span>
      <Age at={thread.updatedAt} />
    </span>
    <span class="card-tags">
      {wait && activeStatuses.includes(thread.status) && (
        <span class="tag" data-tone="warn">
          {waitingFor(wait)}
        </span>
      )}
      <LapsedTag lease={thread.lease} />
      <DraftTag name={`thread ${thread.threadId}`} />
      {thread.priority !== "normal" && (
        <span class="tag" data-tone={thread.priority === "high" ? "warn" : undefined}>
          {thread.priority}
        </span>
      )}
    </span>
  </PlaceLink>
);
