/**
 * [C5] Which resources have changed, for those who subscribed. One reader of the bus's events serves them all, and it reads
 * only while somebody listens.
 */
import type { Event } from "../../contract/event.ts";
import type { Inbox } from "../../inbox/inbox.ts";
import { inboxAddress, threadAddress } from "./resources.ts";

type Listener = (uri: string) => void;

const againMs = 1000;

export function openChanges(inbox: Inbox) {
  const listeners = new Set<Listener>();
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

  async function read(cursor: number, { signal }: AbortController): Promise<void> {
    let after = cursor;
    while (!signal.aborted)
      try {
        for await (const event of inbox.follow({ afterEvent: after }, { signal })) {
          after = event.eventId;
          mark(event);
        }
      } catch {
        // The bus is away. Whoever listens is told when it is back, of all that has changed.
        if (!signal.aborted) await Bun.sleep(againMs);
      }
  }

  function begin() {
    const ending = new AbortController();
    const begun = lastEvent(inbox).then((cursor) => {
      void read(cursor, ending);
    });
    begun.catch(() => {
      reading = undefined;
    });
    return { ending, begun };
  }

  function end(): void {
    reading?.ending.abort();
    reading = undefined;
  }

  return {
    /** From here on nothing is missed, if somebody subscribes at once. */
    ready(): Promise<void> {
      reading ??= begin();
      // Who asked may have been refused by then.
      setTimeout(() => !listeners.size && end(), againMs).unref();
      return reading.begun;
    },
    subscribe(listener: Listener): () => void {
      listeners.add(listener);
      reading ??= begin();
      return () => {
        if (listeners.delete(listener) && !listeners.size) end();
      };
    },
    close: end,
  };
}

export type Changes = ReturnType<typeof openChanges>;

async function lastEvent(inbox: Inbox): Promise<number> {
  const { event, nextEventId } = await inbox.call("events.watch", { timeoutSeconds: 0 });
  return event ? event.eventId - 1 : nextEventId;
}

/** A thread's own, and those of the inboxes that mail came into or went out of. */
function addressesIn({ eventType, threadId, source, payload }: Event): string[] {
  const agents = [payload.to, payload.channel].filter((name) => typeof name === "string");
  if (eventType.startsWith("messages.")) agents.push(source);
  return [...(threadId === null ? [] : [threadAddress(threadId)]), ...agents.map(inboxAddress)];
}
