/** [W6] Events as they happen, as server-sent events. The reader sets the pace: nothing is read ahead of it. */
import { asInboxError, errorTable } from "../../contract/errors.ts";
import type { Caller } from "../../inbox/caller.ts";
import type { Inbox } from "../../inbox/inbox.ts";
import { openSse } from "./sse.ts";

/**
 * The requested events, after the last one that the reader has. [W6] [Y3] A call that `events.watch` would refuse is
 * refused before a stream is started, which could only end. An unavailable database comes back.
 */
export async function streamInput(
  request: Request,
  inbox: Inbox,
  filter: Record<string, unknown>,
  caller: Caller,
): Promise<Record<string, unknown>> {
  const last = request.headers.get("last-event-id");
  const input = last === null ? filter : { ...filter, afterEvent: /^\d+$/.test(last) ? Number(last) : last };
  try {
    await inbox.call("events.watch", { ...input, limit: 1, timeoutSeconds: 0 }, { caller });
  } catch (error) {
    if (errorTable[asInboxError(error).code].http < 500) throw error;
  }
  return input;
}

export function eventStream(
  inbox: Inbox,
  input: Record<string, unknown>,
  { ends, over, caller }: { ends: readonly AbortSignal[]; over: () => void; caller: Caller },
): Response {
  const ending = new AbortController();
  const events = inbox.follow(input, { signal: ending.signal, caller });
  return openSse({
    ends,
    over() {
      ending.abort();
      over();
    },
    async pull({ write, end }) {
      try {
        const { value, done } = await events.next();
        if (done) end();
        else write({ id: value.eventId, event: value.eventType, data: value });
      } catch {
        end();
      }
    },
  });
}
