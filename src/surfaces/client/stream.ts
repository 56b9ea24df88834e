/** Server-sent events as an async iterator that goes on where it was cut. */
import { InboxError } from "../../contract/errors.ts";
import type { Event } from "../../contract/event.ts";
import { call, headersOf, type Wire } from "./request.ts";
import { serverSent } from "./server-sent.ts";

const pauseMs = 500;

export async function* events(
  wire: Wire,
  filter: Record<string, unknown>,
  signal?: AbortSignal,
): AsyncGenerator<Event> {
  const { timeoutSeconds, follow: _, ...query } = filter;
  if (timeoutSeconds === 0) return yield* soFar(wire, query, signal);
  const timeout = typeof timeoutSeconds === "number" ? AbortSignal.timeout(timeoutSeconds * 1000) : undefined;
  const ending = [signal, timeout].filter((one) => one !== undefined);
  const end = ending.length ? AbortSignal.any(ending) : undefined;
  let last: number | undefined = query.afterEvent as number | undefined;
  if (last === undefined) last = await newest(wire, end);
  for (;;) {
    try {
      for await (const event of connect(wire, { ...query, afterEvent: last }, end)) {
        // Several come in one piece: what is left of it after an abort is not wanted.
        if (end?.aborted) break;
        yield event;
        last = event.eventId;
      }
      if (timeout?.aborted) return;
      signal?.throwIfAborted();
    } catch (error) {
      if (timeout?.aborted) return;
      signal?.throwIfAborted();
      if (error instanceof InboxError && !error.details?.unreachable) throw error;
    }
    // The hub stopped or the line was cut: what was missed is sent first when it is back.
    await new Promise((done) => setTimeout(done, pauseMs));
  }
}

/** [W3] What has happened since the cursor, and no more. */
async function* soFar(
  wire: Wire,
  query: Record<string, unknown>,
  signal?: AbortSignal,
): AsyncGenerator<Event> {
  let afterEvent = query.afterEvent;
  for (;;) {
    const text = asQuery({ ...query, afterEvent, timeoutSeconds: 0 });
    const response = await call(wire, `/api/events/wait?${text}`, { headers: headersOf(wire), signal });
    const page = (await response.json()) as { events: Event[]; nextEventId: number };
    for (const event of page.events) {
      signal?.throwIfAborted();
      yield event;
    }
    if (!page.events.length) return;
    afterEvent = page.nextEventId;
  }
}

function asQuery(query: Record<string, unknown>): URLSearchParams {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return new URLSearchParams(
    Object.fromEntries(
      given.map(([key, value]) => [key, Array.isArray(value) ? value.join(",") : String(value)]),
    ),
  );
}

/** Where "from now on" begins, so that a line cut at once loses nothing. */
async function newest(wire: Wire, signal?: AbortSignal): Promise<number> {
  const path = `/api/events/wait?timeoutSeconds=0&limit=1`;
  const response = await call(wire, path, { headers: headersOf(wire), signal });
  return ((await response.json()) as { nextEventId: number }).nextEventId;
}

async function* connect(
  wire: Wire,
  query: Record<string, unknown>,
  signal?: AbortSignal,
): AsyncGenerator<Event> {
  const headers = { ...headersOf(wire), accept: "text/event-stream" };
  const response = await call(wire, `/api/events?${asQuery(query)}`, { headers, signal });
  for await (const { data } of serverSent(response.body!)) yield JSON.parse(data);
}
