/** [W6] `watch`: a cursor over the events, as one answer or as a stream. */
import { eventsAfter } from "../bus/procedures/events-watch.ts";
import type { Event } from "../contract/event.ts";
import { numberOf } from "../contract/ids.ts";
import type { OutputOf, ParsedOf } from "../contract/operations/index.ts";
import type { EndSignal, Engine } from "../engines/engine.ts";
import { everything, threadTopic } from "../sql/topics.ts";
import { countdown, inMs, wait } from "./wait.ts";

type Input = ParsedOf<"events.watch">;
type Output = OutputOf<"events.watch">;

export async function watch(engine: Engine, input: Input, signal?: EndSignal): Promise<Output> {
  let cursor = input.afterEvent ?? (await engine.read((tx) => tx.settled()));
  const events = await wait<Event[]>(
    engine,
    { topics: [input.thread === undefined ? everything : threadTopic(numberOf(input.thread))] },
    async () => {
      const page = await engine.read((tx) => eventsAfter(tx, cursor, input));
      cursor = page.nextEventId;
      return { found: page.events.length ? page.events : undefined };
    },
    {
      timeoutMs: inMs(input.timeoutSeconds),
      signal,
      names: input.agent === undefined ? [] : [input.agent],
    },
  );
  return {
    woke: events !== undefined,
    nextEventId: cursor,
    event: events?.[0] ?? null,
    events: events ?? [],
  };
}

/** Every matching event from the cursor on, until the timeout (counted from the start) or an abort. */
export async function* follow(engine: Engine, input: Input, signal?: EndSignal): AsyncGenerator<Event> {
  const left = countdown(input.timeoutSeconds);
  let afterEvent = input.afterEvent ?? (await engine.read((tx) => tx.settled()));
  for (;;) {
    const leftMs = left();
    const timeoutSeconds = leftMs === undefined ? undefined : leftMs / 1000;
    const page = await watch(engine, { ...input, afterEvent, timeoutSeconds }, signal);
    if (!page.woke) return;
    for (const event of page.events) {
      if (signal?.aborted) return;
      yield event;
    }
    afterEvent = page.nextEventId;
    // Events from before the end of the time are all returned.
    if (leftMs === 0 && page.events.length < input.limit) return;
  }
}
