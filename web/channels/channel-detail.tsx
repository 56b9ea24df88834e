/** One channel: its messages in order, which are pending, and a word to it. */
import { useEffect, useRef } from "preact/hooks";
import { ack, ackAll, type ChannelMessage, messagesOf, pendingOf, post } from "../data/channels.ts";
import { Markdown } from "../documents/lazy.tsx";
import { attempt } from "../ui/attempt.ts";
import { BackButton } from "../ui/columns.tsx";
import { Composer } from "../ui/composer.tsx";
import { Empty, Trouble } from "../ui/empty.tsx";
import { Face } from "../ui/face.tsx";
import { Icon } from "../ui/icon.tsx";
import { Age } from "../ui/time.tsx";
import { useLive } from "../ui/use-live.ts";

export function ChannelDetail({ name }: { name: string }) {
  const { value, problem, again } = useLive(
    async () => ({ messages: await messagesOf(name), pending: await pendingOf(name) }),
    ({ eventType }) => eventType.startsWith("message"),
    [name],
  );
  const body = useRef<HTMLDivElement>(null);
  const count = value?.messages.length;
  useEffect(() => {
    if (body.current && count) body.current.scrollTop = body.current.scrollHeight;
  }, [count]);
  return (
    <article class="entry-detail" aria-label={name}>
      <header class="detail-header">
        <BackButton tab="channels" />
        <div class="detail-title">
          <h1># {name}</h1>
          <p>{value ? `${value.pending} pending` : " "}</p>
        </div>
        {value && value.pending > 0 && (
          <button
            type="button"
            class="button quiet"
            onClick={() => void attempt(() => ackAll(name), "All acknowledged")}
          >
            <Icon name="check" /> Ack all
          </button>
        )}
      </header>
      <div class="detail-body" ref={body} tabIndex={0} role="log" aria-label={`Messages in ${name}`}>
        {problem && !value && <Trouble {...problem} again={again} />}
        {value && !value.messages.length && (
          <Empty
            icon="channels"
            title="Nothing was said here yet"
            command={`inbox msg send ${name} "Hello"`}
          />
        )}
        <ol class="timeline">
          {value?.messages.map((message) => (
            <Said key={message.id} message={message} />
          ))}
        </ol>
      </div>
      <Composer label={`Post to ${name}`} button="Post" onSend={(text) => attempt(() => post(name, text))}>
        Whoever reads {name} sees it.
      </Composer>
    </article>
  );
}

const Said = ({ message }: { message: ChannelMessage }) => (
  <li class="said" data-status={message.status}>
    <Face name={message.sender} />
    <div class="said-text">
      <p class="commentary-who">
        <strong>{message.sender}</strong>
        {message.status !== "pending" && <span class="tag">{message.status}</span>}
        {message.threadId && <span>{message.threadId}</span>} <Age at={message.createdAt} />
      </p>
      <Markdown text={message.content} folder="" />
    </div>
    {message.status === "pending" && (
      <button
        type="button"
        class="icon-button"
        aria-label={`Acknowledge message ${message.id}`}
        title="Acknowledge"
        onClick={() => void attempt(() => ack(message.id))}
      >
        <Icon name="check" />
      </button>
    )}
  </li>
);
