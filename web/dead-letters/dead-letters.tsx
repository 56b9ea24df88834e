/** Dead letters: read one, requeue it, or delete it for good. */
import { useMemo } from "preact/hooks";
import { asSentence } from "../data/api.ts";
import { type DeadLetter, deadLetters, purge, requeue } from "../data/dead-letters.ts";
import { useStore } from "../data/store.ts";
import { readable } from "../documents/failed-result.ts";
import { plainLine } from "../documents/plain-text.ts";
import { useKeys } from "../keys.ts";
import { go, place } from "../router.ts";
import { ask } from "../ui/ask.tsx";
import { attempt } from "../ui/attempt.ts";
import { DetailHeader, Missing, NotLoaded } from "../ui/detail.tsx";
import { Empty } from "../ui/empty.tsx";
import { Face } from "../ui/face.tsx";
import { Icon } from "../ui/icon.tsx";
import { useListKeys } from "../ui/list-keys.ts";
import { ListTab } from "../ui/list-tab.tsx";
import { choose } from "../ui/menu.tsx";
import { Row } from "../ui/row.tsx";
import { Age } from "../ui/time.tsx";
import { useWords } from "../ui/words.tsx";

export function DeadLetters() {
  const loaded = useStore(deadLetters);
  const rows = useMemo(
    () => (loaded.value ?? []).map((item) => ({ id: String(item.id), item })),
    [loaded.value],
  );
  const { id } = place.value;
  const keys = useListKeys("dead-letters", rows);
  const letter = loaded.value?.find((one) => String(one.id) === id);
  const actions = letter && actionsOn(letter);
  useKeys({ ...(actions && { Delete: () => void actions.purge(), e: actions.requeue }) });
  return (
    <ListTab
      tab="dead-letters"
      loaded={loaded}
      rows={rows}
      keys={keys}
      tools={<Bulk letters={loaded.value ?? []} />}
      empty={
        <Empty
          icon="dead-letters"
          title="No dead letters"
          command={'inbox send worker "Try me" && inbox receive --agent worker --ack manual'}
        >
          A message that was delivered several times and never acknowledged ends up here. A reader that has to
          acknowledge each message:
        </Empty>
      }
      render={(one, key) => (
        <Row
          to={{ tab: "dead-letters", id: key }}
          open={key === id}
          lead={<Face name={one.sender} />}
          title={plainLine(readable(one.content)) ?? one.content}
          more={
            <span title={asSentence(one.deadReason)}>
              {one.sender} → {one.channel}: {one.deadReason}
            </span>
          }
          side={<Age at={one.deadAt} />}
        />
      )}
    >
      {letter && actions ? (
        <Letter letter={letter} {...actions} />
      ) : id === undefined ? (
        <Empty icon="dead-letters" title="No dead letter is open">
          <kbd>e</kbd> requeues the open one, <kbd>Del</kbd> deletes it for good.
        </Empty>
      ) : loaded.value ? (
        <Missing tab="dead-letters" noun="dead letter" id={id} />
      ) : (
        <NotLoaded tab="dead-letters" noun="dead letter" id={id} {...loaded} />
      )}
    </ListTab>
  );
}

/** All of one channel at once: what made them die is often the same. */
function Bulk({ letters }: { letters: readonly DeadLetter[] }) {
  const byChannel = Map.groupBy(letters, ({ channel }) => channel);
  if (!byChannel.size) return null;
  const requeueOf = (channel: string, some: readonly DeadLetter[]) =>
    attempt(async () => {
      for (const { id } of some) await requeue(id);
    }, `Requeued ${some.length} in ${channel}`);
  return (
    <button
      type="button"
      class="button quiet"
      onClick={() =>
        void choose(
          "Requeue all of a channel",
          [...byChannel].slice(0, 9).map(([channel, some]) => ({
            name: channel,
            hint: some.length === 1 ? "1 message" : `${some.length} messages`,
            run: () => void requeueOf(channel, some),
          })),
        )
      }
    >
      <Icon name="refresh" /> Requeue all
    </button>
  );
}

function actionsOn({ id, channel }: DeadLetter) {
  const leave = (done: boolean) => {
    if (done) go({ tab: "dead-letters" }, { replace: true });
  };
  return {
    requeue: () => void attempt(() => requeue(id), `Requeued in ${channel}`).then(leave),
    async purge() {
      const sure = await ask({
        title: "Delete this message for good?",
        text: `${channel} never gets it, and it cannot be restored. Requeue puts it back instead.`,
        button: "Delete for good",
      });
      if (sure) leave(await attempt(() => purge(id), "Deleted for good"));
    },
  };
}

function Letter({ letter, requeue, purge }: { letter: DeadLetter } & ReturnType<typeof actionsOn>) {
  const { words, toggle } = useWords(readable(letter.content), { source: letter.content });
  return (
    <article class="entry-detail" aria-label={`Dead letter ${letter.id}`}>
      <DetailHeader
        tab="dead-letters"
        title={`${letter.sender} → ${letter.channel}`}
        more={
          <>
            message {letter.id}, sent <Age at={letter.createdAt} />
          </>
        }
      >
        {toggle}
        <button type="button" class="button" onClick={requeue}>
          <Icon name="refresh" /> Requeue
        </button>
        <button
          type="button"
          class="button quiet danger"
          title="Delete for good"
          onClick={() => void purge()}
        >
          <Icon name="trash" /> Purge
        </button>
      </DetailHeader>
      <div class="detail-body" tabIndex={0} role="region" aria-label="Message">
        <p class="gone">
          <Icon name="warning" />
          <span>
            {asSentence(letter.deadReason)}, <Age at={letter.deadAt} />
          </span>
        </p>
        {words}
      </div>
    </article>
  );
}
