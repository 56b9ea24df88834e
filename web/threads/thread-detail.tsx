/** One thread: where it stands, who holds it and for how long, what was said, and a leader's answer. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { cancelThread, isEnded, type Lease, type Message, openThread, replyTo } from "../data/threads.ts";
import { Markdown } from "../documents/lazy.tsx";
import { attempt } from "../ui/attempt.ts";
import { BackButton } from "../ui/columns.tsx";
import { Composer } from "../ui/composer.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Trouble } from "../ui/empty.tsx";
import { Face } from "../ui/face.tsx";
import { Icon } from "../ui/icon.tsx";
import { StatusTag } from "../ui/status.tsx";
import { Age, span } from "../ui/time.tsx";
import { useLive } from "../ui/use-live.ts";

export function ThreadDetail({ id }: { id: string }) {
  const { value, problem, again } = useLive(
    () => openThread(id),
    ({ threadId }) => threadId === id,
    [id],
  );
  const cancelling = useSignal(false);
  if (!value)
    return problem ? <Trouble {...problem} again={again} /> : <div class="waiting" aria-busy="true" />;
  const { thread, lease, messages } = value;
  const ended = isEnded(thread.status);
  const to = ended ? thread.createdBy : thread.assignedTo;
  return (
    <article class="entry-detail" aria-label={thread.subject}>
      <header class="detail-header">
        <BackButton tab="threads" />
        <div class="detail-title">
          <h1>{thread.subject}</h1>
          <p>
            {thread.threadId} · {thread.createdBy} → {thread.assignedTo} · <Age at={thread.updatedAt} />
          </p>
        </div>
        <StatusTag status={thread.status} />
        {!ended && (
          <button
            type="button"
            class="button quiet danger"
            onClick={() => {
              cancelling.value = true;
            }}
          >
            Cancel
          </button>
        )}
      </header>
      <div class="detail-body" tabIndex={0} role="region" aria-label="History">
        {lease && <LeaseLine lease={lease} />}
        <ol class="timeline">
          {messages.map((message) => (
            <Entry key={message.messageId} message={message} />
          ))}
        </ol>
      </div>
      <Composer
        label={`Reply to ${to}`}
        onSend={(text) => attempt(() => replyTo(id, to, text), `Sent to ${to}`)}
      >
        {thread.status === "blocked" ? `${to} waits for this.` : `Goes into ${thread.threadId}.`}
      </Composer>
      {cancelling.value && (
        <CancelDialog
          subject={thread.subject}
          onClose={() => {
            cancelling.value = false;
          }}
          onCancel={async (reason) => {
            if (await attempt(() => cancelThread(id, reason), "Cancelled")) cancelling.value = false;
          }}
        />
      )}
    </article>
  );
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
        {lease.lapsed || left <= 0 ? "the lease has run out" : `${span(left)} left`}
      </span>
    </p>
  );
}

function Entry({ message }: { message: Message }) {
  const said = message.body || message.summary;
  return (
    <li class="said" data-kind={message.kind}>
      <Face name={message.fromAgent} />
      <div class="said-text">
        <p class="commentary-who">
          <strong>{message.fromAgent}</strong>
          <span
            class="tag"
            data-tone={message.kind === "question" ? "warn" : message.kind === "result" ? "good" : undefined}
          >
            {message.kind}
          </span>
          <span>to {message.toAgent}</span> <Age at={message.createdAt} />
        </p>
        {message.body && message.summary && !message.body.startsWith(message.summary) && (
          <p class="said-summary">{message.summary}</p>
        )}
        {said && <Markdown text={said} folder="" />}
        {Object.keys(message.payload).length > 0 && (
          <details class="payload">
            <summary>Data</summary>
            <pre tabIndex={0}>{JSON.stringify(message.payload, null, 2)}</pre>
          </details>
        )}
        {message.artifacts.map(({ artifactId, path }) => (
          <p key={artifactId} class="hint">
            <Icon name="file" /> {path}
          </p>
        ))}
      </div>
    </li>
  );
}

function CancelDialog({
  subject,
  onClose,
  onCancel,
}: {
  subject: string;
  onClose(): void;
  onCancel(reason: string): void;
}) {
  const reason = useSignal("");
  return (
    <Dialog label="Cancel the thread" class="small" onClose={onClose}>
      <form
        class="dialog-form"
        onSubmit={(event) => {
          event.preventDefault();
          onCancel(reason.value.trim());
        }}
      >
        <h1>Cancel “{subject}”?</h1>
        <p class="hint">Whoever holds it is told, with your reason.</p>
        <label>
          Reason
          <input
            value={reason.value}
            onInput={(event) => {
              reason.value = event.currentTarget.value;
            }}
          />
        </label>
        <div class="card-actions">
          <button type="button" class="button quiet" onClick={onClose}>
            Keep it
          </button>
          <button type="submit" class="button danger">
            Cancel the thread
          </button>
        </div>
      </form>
    </Dialog>
  );
}
