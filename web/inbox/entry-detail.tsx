/** One entry: its workspace, its documents as they are now, what the agent says about them, and a place to answer. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Approval } from "../../src/contract/question.ts";
import { wayBack } from "../../src/contract/workspace.ts";
import { type ChannelMessage, repliesTo } from "../data/channels.ts";
import { type DocumentState, watchDocuments } from "../data/documents.ts";
import { type Entry, fetchEntry, find, opened } from "../data/entries.ts";
import { markRead } from "../data/entry-actions.ts";
import { useLoaded } from "../data/store.ts";
import { type Message, openThread } from "../data/threads.ts";
import { Document } from "../documents/document.tsx";
import { plainTitle } from "../documents/plain-text.ts";
import { useKeys } from "../keys.ts";
import { DetailHeader, NotLoaded } from "../ui/detail.tsx";
import { Trouble } from "../ui/empty.tsx";
import { Face } from "../ui/face.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import { PlaceLink } from "../ui/place-link.tsx";
import { Age, fullTime } from "../ui/time.tsx";
import { useWords } from "../ui/words.tsx";
import { type EntryActions, isAway } from "./actions.ts";
import { Answer } from "./answer.tsx";
import { ApprovalBlock } from "./approval.tsx";
import { Conversation } from "./conversation.tsx";
import { FailureBlock } from "./failure.tsx";
import { useLastRead } from "./last-read.ts";
import { ReplyBar } from "./reply-bar.tsx";
import { headline, whoOf } from "./words.ts";

/** Skimming past an entry is not reading it; staying with it is. */
const dwellMs = 700;

interface Shown {
  entry: Entry;
  agent: string | null;
  /** The command that leads back into the session. */
  back: string | null;
  /** What the thread is about, and what was said in it: a question alone may say little. */
  subject?: string;
  messages: readonly Message[];
  /** What the person has answered in words, where there is no thread. */
  replies: readonly ChannelMessage[];
  documents: readonly DocumentState[];
  /** [U14] What is to be allowed, where it asks for that. */
  approval: Approval | null;
}

async function load(id: string): Promise<Shown> {
  const { entry, workspace, documents, approval } = await fetchEntry(id);
  opened.value = entry;
  const thread = entry.threadId ? await openThread(entry.threadId).catch(() => undefined) : undefined;
  // A message is answered to its sender, whoever has the workspace by now.
  const agent = entry.messageId === null ? (workspace?.agent ?? entry.sender) : entry.sender;
  const replies =
    !thread && agent !== null && entry.answeredAt ? await repliesTo(entry, agent).catch(() => []) : [];
  return {
    entry,
    agent,
    replies,
    back: workspace && wayBack(workspace),
    subject: thread?.thread.subject,
    messages: thread?.messages ?? [],
    documents,
    approval,
  };
}

/** The documents as they were when the entry was loaded, and every change since. */
function useDocuments(id: string, loaded: readonly DocumentState[] | undefined): readonly DocumentState[] {
  const changes = useSignal<ReadonlyMap<number, DocumentState>>(new Map());
  const some = loaded !== undefined && loaded.length > 0;
  useEffect(() => {
    if (!some) return;
    const ending = new AbortController();
    const take = (state: DocumentState) => {
      changes.value = new Map(changes.peek()).set(state.n, state);
    };
    watchDocuments(id, take, ending.signal);
    return () => ending.abort();
  }, [id, some, changes]);
  return (loaded ?? []).map((one) => ({ ...one, ...changes.value.get(one.n) }));
}

function useMarkedWhenRead(entry: Entry | undefined): void {
  useEffect(() => {
    if (entry?.readAt !== null) return;
    const timer = setTimeout(() => void markRead([entry]), dwellMs);
    return () => clearTimeout(timer);
  }, [entry === undefined]);
}

/** [U15] Of which documents the changes are shown in place of the text; `d` shows those of all, or of none. */
function useChanges(lastRead: ReadonlyMap<number, unknown>) {
  const changes = useSignal<ReadonlySet<number>>(new Set());
  useKeys({
    d: () => {
      changes.value = changes.peek().size ? new Set() : new Set(lastRead.keys());
    },
  });
  const showChanges = (n: number) => {
    const rest = new Set(changes.peek());
    if (!rest.delete(n)) rest.add(n);
    changes.value = rest;
  };
  return { changes, showChanges };
}

interface Props {
  id: string;
  /** As the list has it. */
  known?: Entry;
  actions: EntryActions;
}

export function EntryDetail({ id, known, actions }: Props) {
  const { value, problem, retry } = useLoaded(
    {
      fetch: () => load(id),
      changedBy: ({ payload, threadId }) =>
        payload.entry === id || (threadId !== null && threadId === find(id)?.threadId),
    },
    [id],
  );
  const documents = useDocuments(id, value?.documents);
  const lastRead = useLastRead(id, documents);
  const { changes, showChanges } = useChanges(lastRead);
  const entry = known ?? value?.entry;
  useMarkedWhenRead(entry);
  if (!entry) return <NotLoaded tab="inbox" noun="entry" id={id} problem={problem} retry={retry} />;
  const who = whoOf(entry);
  const agent = value?.agent ?? entry.sender;
  // What it asks for says it all, and better.
  const comments = value?.approval ? "" : wordsOf(entry);
  return (
    <article class="entry-detail" aria-label={headline(entry)}>
      <Header entry={entry} agent={agent} subject={value?.subject} actions={actions} />
      <div class="detail-body" tabIndex={0} role="region" aria-label="Entry">
        {problem && !value && <Trouble {...problem} retry={retry} />}
        {value && <Conversation entry={entry} messages={value.messages} which="before" />}
        {entry.comments && isLong(documents) && <Summary entry={entry} />}
        {entry.failure && <FailureBlock failure={entry.failure} />}
        {value &&
          entry.docs.map(({ path }, n) => (
            <Document
              key={n}
              entry={id}
              n={n}
              path={path}
              state={documents.find((one) => one.n === n)}
              lastRead={lastRead.get(n)}
              changes={changes.value.has(n)}
              onChanges={() => showChanges(n)}
            />
          ))}
        {value?.approval && <ApprovalBlock approval={value.approval} />}
        {comments && <Commentary entry={entry} text={comments} sender={entry.sender ?? agent ?? who} />}
        <Answer entry={entry} replies={value?.replies ?? []} />
        {value && <Conversation entry={entry} messages={value.messages} which="after" />}
      </div>
      <ReplyBar entry={entry} to={agent} back={value?.back ?? null} />
    </article>
  );
}

/** What the agent says, without the reason of a failure, which is shown as such. */
function wordsOf({ failure, comments }: Entry): string {
  if (!failure || !comments.startsWith(failure.error)) return comments;
  const rest = comments.slice(failure.error.length);
  return /^\s*(\n|$)/.test(rest) ? rest.replace(/^\s*\n/, "").trimEnd() : comments;
}

/** [U7.9] What was pushed is Markdown; a message to the person is whatever its sender wrote. */
function Commentary({ entry, text, sender }: { entry: Entry; text: string; sender: string }) {
  const { words, toggle } = useWords(text, {
    source: entry.comments,
    ...(entry.messageId === null && { entry: entry.id }),
  });
  return (
    <section class="commentary" aria-label="Comments" id="commentary">
      <Face name={sender} />
      <div class="commentary-text">
        <p class="commentary-who">
          <strong>{sender}</strong> <Age at={entry.ts} /> {toggle}
        </p>
        {words}
      </div>
    </section>
  );
}

/** Documents that fill the screen before the agent's own words come. */
const isLong = (documents: readonly DocumentState[]) =>
  documents.reduce((sum, { size }) => sum + (size ?? 0), 0) > longBytes;
const longBytes = 800;

/** What it is about, before documents that may be long; what the agent says of them is below. */
const Summary = ({ entry }: { entry: Entry }) => (
  <p class="summary">
    <span>{headline(entry)}</span>{" "}
    <button
      type="button"
      class="link"
      onClick={() => document.getElementById("commentary")?.scrollIntoView({ block: "start" })}
    >
      Comments below
    </button>
  </p>
);

interface HeaderProps {
  entry: Entry;
  agent: string | null;
  subject?: string;
  actions: EntryActions;
}

function Header({ entry, agent, subject, actions }: HeaderProps) {
  const who = whoOf(entry);
  const unread = entry.readAt === null;
  const { threadId } = entry;
  const more = (
    <>
      <span>{who} · </span>
      {agent && agent !== who && <span>{agent} · </span>}
      <span title={fullTime(entry.ts)}>
        <Age at={entry.ts} />
      </span>
      {threadId && (
        <>
          {" · "}
          <PlaceLink class="link" to={{ tab: "threads", id: threadId }}>
            {subject === undefined ? threadId : plainTitle(subject)}
          </PlaceLink>
        </>
      )}
    </>
  );
  return (
    <DetailHeader tab="inbox" face={who} title={headline(entry)} more={more}>
      {unread ? (
        <IconButton
          icon="mark-read"
          label="Mark as read"
          short="Read"
          onClick={() => void markRead([entry])}
        />
      ) : (
        <IconButton icon="unread" label="Mark as unread" short="Unread" hotkey="u" onClick={actions.unread} />
      )}
      <IconButton
        icon={isAway(entry) ? "inbox" : "check"}
        label={isAway(entry) ? "Move to the inbox" : "Done"}
        short={isAway(entry) ? "Inbox" : "Done"}
        hotkey="e"
        onClick={actions.done}
      />
      <IconButton icon="clock" label="Snooze" hotkey="h" onClick={actions.snooze} />
      <IconButton icon="bell-off" label="Mute" hotkey="m" onClick={actions.mute} />
      <IconButton icon="trash" label="Delete" hotkey="Del" onClick={actions.remove} />
    </DetailHeader>
  );
}
