/** An agent that is not one of the queue's sub-agents: its mail, its threads, and a field to write to it. */
import { type Agent, mailOf, sendTo, threadsOf } from "../data/agents.ts";
import { me } from "../data/api.ts";
import { useLoaded } from "../data/store.ts";
import type { Thread } from "../data/threads.ts";
import { plainTitle } from "../documents/plain-text.ts";
import { go } from "../router.ts";
import { attempt } from "../ui/attempt.ts";
import { Letter, NoReceiver } from "../ui/composer.tsx";
import { DetailHeader } from "../ui/detail.tsx";
import { Trouble } from "../ui/empty.tsx";
import { Said } from "../ui/said.tsx";
import { StatusTag } from "../ui/status.tsx";
import { Age } from "../ui/time.tsx";

type Mail = Awaited<ReturnType<typeof mailOf>>;

async function load(name: string) {
  const [mail, { threads }] = await Promise.all([mailOf(name), threadsOf(name)]);
  return { mail, threads };
}

export function AgentDetail({ name, agent }: { name: string; agent?: Agent }) {
  const { value, problem, retry } = useLoaded({ fetch: () => load(name), changedBy: () => true }, [name]);
  return (
    <article class="entry-detail" aria-label={name}>
      <DetailHeader tab="agents" face={name} title={name} more={<Seen agent={agent} />}>
        {agent?.live && (
          <span class="tag" data-tone="good">
            active
          </span>
        )}
      </DetailHeader>
      <div
        class="detail-body"
        tabIndex={0}
        role="region"
        aria-label={`About ${name}`}
        aria-busy={!value && !problem}
      >
        {value ? (
          <>
            <MailBlock mail={value.mail} />
            <ThreadsBlock threads={value.threads} />
          </>
        ) : (
          problem && <Trouble {...problem} retry={retry} />
        )}
      </div>
      {name === me ? (
        <NoReceiver>This is you. What others write to you is in the inbox.</NoReceiver>
      ) : (
        <Letter
          to={name}
          verb="Write to"
          draft={`agent ${name}`}
          onSend={(text) => attempt(() => sendTo(name, text), `Sent to ${name}`)}
        />
      )}
    </article>
  );
}

const Seen = ({ agent }: { agent?: Agent }) =>
  agent ? (
    <>
      last seen <Age at={agent.lastSeenAt} />
      {agent.pools.length > 0 && `, in ${agent.pools.join(", ")}`}
    </>
  ) : (
    <>not seen yet</>
  );

const MailBlock = ({ mail }: { mail: Mail }) => (
  <section class="block" aria-label="Mail">
    <h2>
      Waiting in its inbox <span class="count">{mail.total}</span>
    </h2>
    {!mail.messages.length && <p class="hint">No mail. A message you send stays here until it is read.</p>}
    <ol class="timeline">
      {mail.messages.map((one) => (
        <Said
          key={one.id}
          sender={one.senderId}
          at={one.createdAt}
          text={one.message}
          about={one.kind !== "event" && <span class="tag">{one.kind}</span>}
        />
      ))}
    </ol>
  </section>
);

const ThreadsBlock = ({ threads }: { threads: readonly Thread[] }) => (
  <section class="block" aria-label="Threads">
    <h2>
      Threads <span class="count">{threads.length}</span>
    </h2>
    {!threads.length && <p class="hint">No threads.</p>}
    <ul class="plain-list">
      {threads.map(({ threadId, subject, status }) => (
        <li key={threadId}>
          <button type="button" class="line-button" onClick={() => go({ tab: "threads", id: threadId })}>
            <span>{plainTitle(subject)}</span>
            <StatusTag status={status} />
          </button>
        </li>
      ))}
    </ul>
  </section>
);
