/** One entry: its workspace, its documents as they are now, what the agent says about them, and a place to answer. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { wayBack } from "../../src/contract/workspace.ts";
import { problemOf } from "../data/api.ts";
import { type DocumentState, watchDocuments } from "../data/documents.ts";
import { type Entry, fetchEntry } from "../data/entries.ts";
import { markRead, markUnread } from "../data/entry-actions.ts";
import { openThread } from "../data/threads.ts";
import { Document } from "../documents/document.tsx";
import { Markdown } from "../documents/lazy.tsx";
import { go } from "../router.ts";
import { BackButton } from "../ui/columns.tsx";
import { Empty } from "../ui/empty.tsx";
import { Face } from "../ui/face.tsx";
import { Icon } from "../ui/icon.tsx";
import { Age, fullTime } from "../ui/time.tsx";
import { ReplyBar } from "./reply-bar.tsx";
import { whoOf } from "./words.ts";

/** Skimming past an entry is not reading it; staying with it is. */
const dwellMs = 700;

export function EntryDetail({ id, known, onDelete }: { id: string; known?: Entry; onDelete(): void }) {
  const shown = useSignal<{ entry: Entry; agent: string | null; back: string | null } | undefined>(undefined);
  const states = useSignal<readonly DocumentState[]>([]);
  /** What the thread is about: a question alone may say little. */
  const subject = useSignal<string | undefined>(undefined);
  const missing = useSignal<ReturnType<typeof problemOf> | undefined>(undefined);

  useEffect(() => {
    const ending = new AbortController();
    fetchEntry(id).then(
      ({ entry, workspace, documents }) => {
        if (ending.signal.aborted) return;
        shown.value = {
          entry,
          agent: workspace?.agent ?? entry.sender,
          back: workspace && wayBack(workspace),
        };
        states.value = documents;
        if (entry.threadId)
          openThread(entry.threadId).then(
            ({ thread }) => {
              subject.value = thread.subject;
            },
            () => {}, // its number will do
          );
        if (documents.length)
          watchDocuments(
            id,
            (state) => {
              states.value = states.peek().map((one) => (one.n === state.n ? { ...one, ...state } : one));
            },
            ending.signal,
          );
      },
      (error) => {
        missing.value = problemOf(error);
      },
    );
    return () => ending.abort();
  }, [id, shown, states, missing, subject]);

  const entry = known ?? shown.value?.entry;
  const unread = entry?.readAt === null;
  useEffect(() => {
    if (!unread || !entry) return;
    const timer = setTimeout(() => void markRead([entry]), dwellMs);
    return () => clearTimeout(timer);
  }, [id, entry === undefined]);

  if (!entry)
    return missing.value ? (
      <Empty
        icon="inbox"
        title={missing.value.code === "not_found" ? "This entry is gone" : missing.value.message}
      >
        {missing.value.code === "not_found"
          ? "It was deleted, here or in another window."
          : missing.value.hint}
      </Empty>
    ) : (
      <div class="waiting" aria-busy="true" />
    );
  const who = whoOf(entry);
  return (
    <article class="entry-detail" aria-label={who}>
      <header class="detail-header">
        <BackButton tab="inbox" />
        <Face name={who} />
        <div class="detail-title">
          <h1>{who}</h1>
          <p>
            {shown.value?.agent && shown.value.agent !== who && <span>{shown.value.agent} · </span>}
            <span title={fullTime(entry.ts)}>
              <Age at={entry.ts} />
            </span>
            {entry.threadId && (
              <>
                {" · "}
                <button
                  type="button"
                  class="link"
                  onClick={() => go({ tab: "threads", id: entry.threadId! })}
                >
                  {subject.value ?? entry.threadId}
                </button>
              </>
            )}
          </p>
        </div>
        <button
          type="button"
          class="icon-button"
          aria-label={unread ? "Mark as read" : "Mark as unread"}
          title={unread ? "Mark as read" : "Mark as unread (u)"}
          onClick={() => void (unread ? markRead([entry]) : markUnread([entry]))}
        >
          <Icon name={unread ? "mark-read" : "unread"} />
        </button>
        <button type="button" class="icon-button" aria-label="Delete" title="Delete (Del)" onClick={onDelete}>
          <Icon name="trash" />
        </button>
      </header>
      <div class="detail-body" tabIndex={0} role="region" aria-label="What it says">
        {entry.docs.map(({ path }, n) => (
          <Document key={n} entry={id} n={n} path={path} state={states.value.find((one) => one.n === n)} />
        ))}
        {entry.comments && (
          <section class="commentary" aria-label="Commentary">
            <Face name={entry.sender ?? who} />
            <div class="commentary-text">
              <p class="commentary-who">
                <strong>{entry.sender ?? shown.value?.agent ?? who}</strong> <Age at={entry.ts} />
              </p>
              <Markdown text={entry.comments} entry={id} folder="" />
            </div>
          </section>
        )}
      </div>
      <ReplyBar entry={entry} to={shown.value?.agent ?? entry.sender} back={shown.value?.back ?? null} />
    </article>
  );
}
