/**
 * [C5] Which resources have changed, for clients that have subscribed. One reader of the bus's events serves them
 * all, and it reads only while somebody listens.
 */
import type { Event } from "../../contract/event.ts";
import type { Inbox } from "../../inbox/inbox.ts";
import { inboxAddress, threadAddress } from "./resources.ts";

type Listener = (uri: string) => void;

const againMs = 1000;

export function openChanges(inbox: Inbox) {
  const listeners = new Set<Listener>();
  /** Listeners, and callers that are about to become one: events are read while there are any. */
  const holders = new Set<object>();
  let reading: { ending: AbortController; begun: Promise<void> } | undefined;

  /** Several events in a row may be about one resource: one notification is sent for all of them. */
  const changed = new Set<string>();
  function mark(event: Event): void {
    if (!changed.size) setImmediate(tell);
    for (const uri of addressesIn(event)) changed.add(uri);
  }
  function tell(): void {
    const uris = [...changed];
    changed.clear();
    for (const uri of uris) for (const listener of listeners) listener(uri);
  }

  function begin() {
    const ending = new AbortController();
    const begun = lastEvent(inbox).then((cursor) => {
      void read(inbox, { cursor, signal: ending.signal, mark });
    });
    const mine = { ending, begun };
    begun.catch(async () => {
      if (reading !== mine) return;
      reading = undefined;
      // There is no bus yet: listeners are told about changes once there is one.
      await Bun.sleep(againMs);
      if (holders.size) reading ??= begin();
    });
    return mine;
  }

  function end(): void {
    reading?.ending.abort();
    reading = undefined;
  }

  const release = (holder: object) => {
    if (holders.delete(holder) && !holders.size) end();
  };

  return {
    /**
     * Starts reading, so that nothing is missed from here on. The caller calls the function it gets once it has subscribed, or was
     * refused. A timeout instead would end the reading of a slow subscriber.
     */
    async ready(): Promise<() => void> {
      const holder = {};
      holders.add(holder);
      reading ??= begin();
      try {
        await reading.begun;
      } catch (error) {
        release(holder);
        throw error;
      }
      return () => release(holder);
    },
    subscribe(listener: Listener): () => void {
      listeners.add(listener);
      holders.add(listener);
      reading ??= begin();
      return () => {
        listeners.delete(listener);
        release(listener);
      };
    },
    close(): void {
      holders.clear();
      end();
    },
  };
}

interface Reading {
  cursor: number;
  signal: AbortSignal;
  mark(event: Event): void;
}

async function read(inbox: Inbox, { cursor, signal, mark }: Reading): Promise<void> {
  let after = cursor;
  while (!signal.aborted)
    try {
      for await (const event of inbox.follow({ afterEvent: after }, { signal })) {
        after = event.eventId;
        mark(event);
      }
    } catch {
      // The bus is unavailable. Listeners are told when it is back, about everything that has changed.
      if (!signal.aborted) await Bun.sleep(againMs);
    }
}

export type Changes = ReturnType<typeof openChanges>;

async function lastEvent(inbox: Inbox): Promise<number> {
  const { event, nextEventId } = await inbox.call("events.watch", { timeoutSeconds: 0 });
  return event ? event.eventId - 1 : nextEventId;
}

/** The resource of a thread, and those of the inboxes that mail was added to or collected from. */
function addressesIn({ eventType, threadId, source, payload }: Event): string[] {
  const agents = [payload.to, payload.channel].filter((name) => typeof name === "string");
  if (eventType.startsWith("messages.")) agents.push(source);
  return [...(threadId === null ? [] : [threadAddress(threadId)]), ...agents.map(inboxAddress)];
}
