/** An agent that is no task of ours: what waits for it, what it works on, and a word to it. */
import { type Agent, mailOf, sendTo, threadsOf } from "../data/agents.ts";
import { Markdown } from "../documents/lazy.tsx";
import { go } from "../router.ts";
import { attempt } from "../ui/attempt.ts";
import { BackButton } from "../ui/columns.tsx";
import { Composer } from "../ui/composer.tsx";
import { Face } from "../ui/face.tsx";
import { StatusTag } from "../ui/status.tsx";
import { Age } from "../ui/time.tsx";
import { useLive } from "../ui/use-live.ts";

export function AgentDetail({ name, agent }: { name: string; agent?: Agent }) {
  const { value } = useLive(
    async () => ({ mail: await mailOf(name), threads: (await threadsOf(name)).threads }),
    () => true,
    [name],
  );
  return (
    <article class="entry-detail" aria-label={name}>
      <header class="detail-header">
        <BackButton tab="agents" />
        <Face name={name} />
        <div class="detail-title">
          <h1>{name}</h1>
          <p>
            {agent ? (
              <>
                seen <Age at={agent.lastSeenAt} />
                {agent.pools.length > 0 && `, in ${agent.pools.join(", ")}`}
              </>
            ) : (
              "has not been seen yet"
            )}
          </p>
        </div>
        {agent?.live && (
          <span class="tag" data-tone="good">
            alive
          </span>
        )}
      </header>
      <div class="detail-body" tabIndex={0} role="region" aria-label={`About ${name}`}>
        <section class="block" aria-label="Mail">
          <h2>
            Waiting in its inbox <span class="count">{value?.mail.total ?? ""}</span>
          </h2>
          {value && !value.mail.messages.length && (
            <p class="hint">Nothing. What you send waits here until it asks.</p>
          )}
          <ol class="timeline">
            {value?.mail.messages.map((one) => (
              <li key={one.id} class="said">
                <Face name={one.senderId} />
                <div class="said-text">
                  <p class="commentary-who">
                    <strong>{one.senderId}</strong>
                    {one.kind !== "event" && <span class="tag">{one.kind}</span>} <Age at={one.createdAt} />
                  </p>
                  <Markdown text={one.message} folder="" />
                </div>
              </li>
            ))}
          </ol>
        </section>
        <section class="block" aria-label="Threads">
          <h2>
            Threads <span class="count">{value?.threads.length ?? ""}</span>
          </h2>
          {value && !value.threads.length && <p class="hint">None yet.</p>}
          <ul class="plain-list">
            {value?.threads.map((thread) => (
              <li key={thread.threadId}>
                <button
                  type="button"
                  class="line-button"
                  onClick={() => go({ tab: "threads", id: thread.threadId })}
                >
                  <span>{thread.subject}</span>
                  <StatusTag status={thread.status} />
                </button>
              </li>
            ))}
          </ul>
        </section>
      </div>
      <Composer
        label={`Write to ${name}`}
        onSend={(text) => attempt(() => sendTo(name, text), `Sent to ${name}`)}
      >
        It wakes {name} if it waits.
      </Composer>
    </article>
  );
}
