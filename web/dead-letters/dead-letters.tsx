/** Dead letters: read one, put it back, or throw it away. */
import { useMemo } from "preact/hooks";
import { type DeadLetter, loadDead, purge, requeue } from "../data/dead-letters.ts";
import { Markdown } from "../documents/lazy.tsx";
import { useKeys } from "../keys.ts";
import { go, pathOf, place } from "../router.ts";
import { attempt } from "../ui/attempt.ts";
import { BackButton, Columns, useListKeys } from "../ui/columns.tsx";
import { Empty, Trouble } from "../ui/empty.tsx";
import { Face } from "../ui/face.tsx";
import { Icon } from "../ui/icon.tsx";
import { LongList, type Row } from "../ui/long-list.tsx";
import { Age } from "../ui/time.tsx";
import { useLive } from "../ui/use-live.ts";

export function DeadLetters() {
  const { value, problem, again } = useLive(loadDead, ({ eventType }) => eventType.startsWith("message"), []);
  const rows = useMemo<Row<DeadLetter>[]>(
    () => (value ?? []).map((item) => ({ id: String(item.id), item })),
    [value],
  );
  const { id } = place.value;
  const { follow, detail } = useListKeys("dead-letters", rows);
  const letter = value?.find((one) => String(one.id) === id);
  const done = (work: () => Promise<unknown>, words: string) =>
    void attempt(work, words).then((ok) => ok && go({ tab: "dead-letters" }, { replace: true }));
  const actions = letter && {
    requeue: () => done(() => requeue(letter.id), `Back in the inbox of ${letter.channel}`),
    purge: () => done(() => purge(letter.id), "Thrown away"),
  };
  useKeys({ ...(actions && { Delete: actions.purge, e: actions.requeue }) });
  return (
    <Columns
      label="Dead letters"
      detail={detail}
      list={
        <>
          <header class="list-header">
            <h1>Dead letters</h1>
          </header>
          {problem && !value ? (
            <Trouble {...problem} again={again} />
          ) : value && !rows.length ? (
            <Empty
              icon="dead-letters"
              title="No dead letters"
              command="inbox receive --agent worker --ack manual"
            >
              Messages that were handed over again and again and never acknowledged come here. It takes a
              reader that does not ack:
            </Empty>
          ) : (
            <LongList
              label="Dead letters"
              rows={rows}
              current={id}
              follow={follow}
              render={(one, key) => (
                <div class="row" data-open={key === id}>
                  <a
                    class="row-link"
                    href={pathOf({ tab: "dead-letters", id: key })}
                    aria-current={key === id ? "true" : undefined}
                    onClick={(event) => {
                      if (event.metaKey || event.ctrlKey) return;
                      event.preventDefault();
                      go({ tab: "dead-letters", id: key });
                    }}
                  >
                    <Face name={one.sender} />
                    <span class="row-text">
                      <span class="row-title strong">{one.content.split("\n")[0]}</span>
                      <span class="row-more">
                        <span>
                          {one.sender} → {one.channel}
                        </span>
                      </span>
                    </span>
                    <span class="row-time">
                      <Age at={one.deadAt} />
                    </span>
                  </a>
                </div>
              )}
            />
          )}
        </>
      }
    >
      {letter && actions ? (
        <article class="entry-detail" aria-label={`Dead letter ${letter.id}`}>
          <header class="detail-header">
            <BackButton tab="dead-letters" />
            <div class="detail-title">
              <h1>
                {letter.sender} → {letter.channel}
              </h1>
              <p>
                message {letter.id}, sent <Age at={letter.createdAt} />
              </p>
            </div>
            <button type="button" class="button" onClick={actions.requeue}>
              <Icon name="refresh" /> Requeue
            </button>
            <button type="button" class="button quiet danger" onClick={actions.purge}>
              <Icon name="trash" /> Purge
            </button>
          </header>
          <div class="detail-body" tabIndex={0} role="region" aria-label="The message">
            <p class="gone">
              <Icon name="warning" />
              <span>
                {letter.deadReason} (<Age at={letter.deadAt} />, {letter.lapses} lapsed deliveries)
              </span>
            </p>
            <Markdown text={letter.content} folder="" />
          </div>
        </article>
      ) : (
        <Empty icon="dead-letters" title="No letter is open">
          <kbd>e</kbd> puts one back, <kbd>Del</kbd> throws it away.
        </Empty>
      )}
    </Columns>
  );
}
