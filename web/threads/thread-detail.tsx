/** One thread: its status, who holds it and for how long, what was said, and a field to reply. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { agents } from "../data/agents.ts";
import { me } from "../data/api.ts";
import { useLoaded, useStore } from "../data/store.ts";
import {
  answerWith,
  cancelThread,
  isEnded,
  type Lease,
  type Message,
  type Opened,
  openChoices,
  openThread,
  reassign,
  replyTo,
  takeBack,
} from "../data/threads.ts";
import { plainTitle } from "../documents/plain-text.ts";
import { useKeys } from "../keys.ts";
import { attempt } from "../ui/attempt.ts";
import { Letter, NoReceiver } from "../ui/composer.tsx";
import { DetailHeader, NotLoaded } from "../ui/detail.tsx";
import { Icon } from "../ui/icon.tsx";
import { choose } from "../ui/menu.tsx";
import { Said } from "../ui/said.tsx";
import { StatusTag } from "../ui/status.tsx";
import { Age, span } from "../ui/time.tsx";
import { CancelDialog } from "./cancel-dialog.tsx";
import { KindTag, Summary } from "./message-parts.tsx";

export function ThreadDetail({ id }: { id: string }) {
  const { value, problem, retry } = useLoaded(
    { fetch: () => openThread(id), changedBy: ({ threadId }) => threadId === id },
    [id],
  );
  const cancelling = useSignal(false);
  if (!value) return <NotLoaded tab="threads" noun="thread" id={id} problem={problem} retry={retry} />;
  const { thread, lease, messages } = value;
  const title = plainTitle(thread.subject);
  const ended = isEnded(thread.status);
  const to = otherSide(value);
  return (
    <article class="entry-detail" aria-label={title}>
      <DetailHeader
        tab="threads"
        title={title}
        more={
          <>
            {thread.createdBy} → {thread.assignedTo} · <Age at={thread.updatedAt} /> · {thread.threadId}
          </>
        }
      >
        <StatusTag status={thread.status} />
        {!ended && <Reassign id={id} lease={lease} />}
        {!ended && (
          <button
            type="button"
            class="button quiet danger"
            aria-label="Cancel thread"
            onClick={() => {
              cancelling.value = true;
            }}
          >
            <span>
              Cancel<span class="wide-only"> thread</span>
            </span>
          </button>
        )}
      </DetailHeader>
      <div class="detail-body" tabIndex={0} role="region" aria-label="History">
        {lease && <LeaseLine lease={lease} />}
        <ol class="timeline">
          {messages.map((message) => (
            <Entry key={message.messageId} message={message} />
          ))}
        </ol>
        {to !== undefined && <Choices opened={value} to={to} />}
      </div>
      {to === undefined ? (
        <NoReceiver>You created this thread for yourself: there is nobody to reply to.</NoReceiver>
      ) : (
        <Letter
          to={to}
          draft={`thread ${id}`}
          onSend={(text) => attempt(() => replyTo(id, to, text), `Sent to ${to}`)}
        />
      )}
      {cancelling.value && (
        <CancelDialog
          subject={title}
          onClose={() => {
            cancelling.value = false;
          }}
          onCancel={async (reason) => {
            if (await attempt(() => cancelThread(id, reason), `Cancelled ${id}`)) cancelling.value = false;
          }}
        />
      )}
    </article>
  );
}

/** Where a worker waits for one of several answers. */
function Choices({ opened, to }: { opened: Opened; to: string }) {
  const choices = openChoices(opened);
  const answer = (choice: string) =>
    void attempt(() => answerWith(opened.thread.threadId, to, choice), `Answered ${choice}`);
  useKeys(Object.fromEntries(choices.slice(0, 9).map((choice, i) => [String(i + 1), () => answer(choice)])));
  if (!choices.length) return null;
  return (
    <div class="choices" role="group" aria-label="Answers">
      {choices.map((choice, i) => (
        <button key={choice} type="button" class="button choice" onClick={() => answer(choice)}>
          {i < 9 && <kbd>{i + 1}</kbd>} {choice}
        </button>
      ))}
    </div>
  );
}

/** Takes it from whoever has it, for another or for anybody. */
function Reassign({ id, lease }: { id: string; lease: Lease | null }) {
  const others = (useStore(agents).value ?? [])
    .filter(({ name, ended }) => name !== me && name !== lease?.agentId && !ended)
    .toSorted((a, b) => Number(b.live) - Number(a.live));
  const open = () =>
    void choose("Reassign this thread", [
      ...(lease
        ? [
            {
              name: `Take it from ${lease.agentId}`,
              hint: "back to whom it was sent",
              run: () =>
                void attempt(() => takeBack(id, "taken back by the person"), `Taken from ${lease.agentId}`),
            },
          ]
        : []),
      ...others.map(({ name, live }) => ({
        name,
        hint: live ? "active" : "",
        run: () => void attempt(() => reassign(id, name), `Reassigned to ${name}`),
      })),
    ]);
  return (
    <button type="button" class="button quiet" onClick={open}>
      Reassign
    </button>
  );
}

/** Whoever works on it, or waits for its result; never the person itself. */
function otherSide({ thread, lease }: Opened): string | undefined {
  const works = lease?.agentId ?? thread.assignedTo;
  const first = isEnded(thread.status) ? [thread.createdBy, works] : [works, thread.createdBy];
  return first.find((one) => one !== me);
}

/** The lease, and how long it still holds. */
function LeaseLine({ lease }: { lease: Lease }) {
  const now = useSignal(Date.now());
  useEffect(() => {
    const timer = setInterval(() => {
      now.value = Date.now();
    }, 1000);
    return () => clearInterval(timer);
  }, [now]);
  const left = Date.parse(lease.expiresAt) - now.value;
  return (
    <p class="lease" data-lapsed={lease.lapsed || left <= 0}>
      <Icon name="clock" />
      <span>
        Held by <strong>{lease.agentId}</strong>, attempt {lease.attempt}
      </span>
      <span class="lease-left">
        {lease.lapsed || left <= 0 ? "the lease has lapsed" : `${span(left)} left`}
      </span>
    </p>
  );
}

const Entry = ({ message }: { message: Message }) => (
  <Said
    sender={message.fromAgent}
    at={message.createdAt}
    text={message.body || message.summary}
    about={
      <>
        <KindTag message={message} />
        <span>to {message.toAgent}</span>
      </>
    }
    above={<Summary message={message} />}
    below={<Attached message={message} />}
  />
);

/** Choices are offered as buttons. */
const Attached = ({ message }: { message: Message }) => (
  <>
    {Object.keys(message.payload).some((name) => name !== "choices") && (
      <details class="payload">
        <summary>Payload</summary>
        <pre tabIndex={0}>{JSON.stringify(message.payload, null, 2)}</pre>
      </details>
    )}
    {message.artifacts.map(({ artifactId, path }) => (
      <p key={artifactId} class="hint">
        <Icon name="file" /> {path}
      </p>
    ))}
  </>
);
