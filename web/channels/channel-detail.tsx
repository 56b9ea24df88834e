/** One channel: its messages in order, which are pending, and a field to post to it. */
import { useEffect, useRef } from "preact/hooks";
import { mailLimit } from "../../src/contract/mail.ts";
import { plural } from "../../src/contract/plural.ts";
import { agents } from "../data/agents.ts";
import { me } from "../data/api.ts";
import { ack, ackAll, messagesOf, pendingOf, post, readersOf } from "../data/channels.ts";
import { useLoaded, useStore } from "../data/store.ts";
import { ask } from "../ui/ask.tsx";
import { attempt } from "../ui/attempt.ts";
import { Composer, NoReceiver } from "../ui/composer.tsx";
import { DetailHeader } from "../ui/detail.tsx";
import { Empty, Trouble } from "../ui/empty.tsx";
import { Icon } from "../ui/icon.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import { Receiver } from "../ui/receiver.tsx";
import { Said } from "../ui/said.tsx";
import { Age } from "../ui/time.tsx";

async function load(name: string) {
  const [messages, pending, readers] = await Promise.all([
    messagesOf(name),
    pendingOf(name),
    readersOf(name),
  ]);
  return { messages, pending, readers };
}

/** An ack is for good: no reader that has not seen the message gets it any more. */
const consequence = (name: string) =>
  `Readers of ${name} that have not collected it yet will not get it. This cannot be undone.`;

async function take(id: number, name: string): Promise<void> {
  const sure = await ask({
    title: `Acknowledge message ${id} for its readers?`,
    text: consequence(name),
    button: "Acknowledge",
  });
  if (sure) await attempt(() => ack(id));
}

async function takeAll(name: string, pending: number): Promise<void> {
  const sure = await ask({
    title: `Acknowledge all ${pending} pending messages of ${name}?`,
    text: consequence(name),
    button: "Acknowledge all",
  });
  if (sure) await attempt(() => ackAll(name), "All acknowledged");
}

export function ChannelDetail({ name }: { name: string }) {
  const { value, problem, retry } = useLoaded(
    { fetch: () => load(name), changedBy: ({ eventType }) => /^(message|reader)/.test(eventType) },
    [name],
  );
  const body = useRef<HTMLDivElement>(null);
  const count = value?.messages.length;
  useEffect(() => {
    if (body.current && count) body.current.scrollTop = body.current.scrollHeight;
  }, [count]);
  return (
    <article class="entry-detail" aria-label={name}>
      <DetailHeader tab="channels" title={`# ${name}`} more={value ? `${value.pending} pending` : " "}>
        {value && value.pending > 0 && (
          <button
            type="button"
            class="button quiet"
            title="Acknowledge every message in this channel"
            onClick={() => void takeAll(name, value.pending)}
          >
            <Icon name="check" /> Ack all
          </button>
        )}
      </DetailHeader>
      {value && value.readers.length > 0 && <Readers readers={value.readers} />}
      <div
        class="detail-body"
        ref={body}
        tabIndex={0}
        role="log"
        aria-label={`Messages in ${name}`}
        aria-busy={!value && !problem}
      >
        {problem && !value && <Trouble {...problem} retry={retry} />}
        {value && !value.messages.length && (
          <Empty icon="channels" title="No messages yet" command={`inbox msg send ${name} "Hello"`} />
        )}
        <ol class="timeline">
          {value?.messages.map(({ id, sender, createdAt, content, status, threadId }) => (
            <Said
              key={id}
              sender={sender}
              at={createdAt}
              text={content}
              status={status}
              about={
                <>
                  {status !== "pending" && <span class="tag">{status}</span>}
                  {threadId && <span>{threadId}</span>}
                </>
              }
              action={
                status === "pending" && (
                  <IconButton
                    icon="check"
                    label={`Acknowledge message ${id}`}
                    title="Acknowledge"
                    onClick={() => void take(id, name)}
                  />
                )
              }
            />
          ))}
        </ol>
      </div>
      {name === me ? (
        <NoReceiver>This is your own inbox: what is posted here would come back to you.</NoReceiver>
      ) : (
        <Composer
          draft={`channel ${name}`}
          label={`Post to ${name}`}
          button="Post"
          receiver={<Readership name={name} />}
          onSend={(text) => attempt(() => post(name, text))}
        />
      )}
    </article>
  );
}

/** The mailbox of an agent is read by nobody else. */
const Readership = ({ name }: { name: string }) =>
  useStore(agents).value?.some((agent) => agent.name === name) ? (
    <Receiver name={name} />
  ) : (
    <span class="receiver">To every reader of {name}</span>
  );

/** [U15] Who reads it by a stored position, and how far each has come. */
const Readers = ({ readers }: { readers: Awaited<ReturnType<typeof readersOf>> }) => (
  <details class="readers" open={readers.length <= 3}>
    <summary>{plural(readers.length, "reader")} with a stored position</summary>
    <table>
      <thead>
        <tr>
          <th scope="col">Reader</th>
          <th scope="col">Has read</th>
          <th scope="col">Behind</th>
          <th scope="col">Since</th>
        </tr>
      </thead>
      <tbody>
        {readers.map(({ reader, position, behind, committedAt }) => (
          <tr key={reader}>
            <td>{reader}</td>
            <td>up to message {position}</td>
            <td>{behind ? `${behind >= mailLimit ? `${mailLimit}+` : behind} to read` : "nothing"}</td>
            <td>
              <Age at={committedAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </details>
);
