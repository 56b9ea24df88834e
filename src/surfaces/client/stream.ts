/** Server-sent events as an async iterator that continues after a lost connection. */
import { InboxError } from "../../contract/errors.ts";
import type { Event } from "../../contract/event.ts";
import { Absence } from "./absence.ts";
import { call, headersOf, unreachable, type Wire } from "./request.ts";
import { serverSent } from "./server-sent.ts";

const pauseMs = 500;
/** How long a hub may stay silent after the timeout of a follow has passed. */
const graceMs = 10_000;

const firstOf = (...signals: (AbortSignal | undefined)[]) => {
  const given = signals.filter((one) => one !== undefined);
  return given.length ? AbortSignal.any(given) : undefined;
};

export async function* events(
  wire: Wire,
  filter: Record<string, unknown>,
  signal?: AbortSignal,
): AsyncGenerator<Event> {
  const { timeoutSeconds, follow: _, ...query } = filter;
  if (timeoutSeconds === 0) return yield* soFar(wire, query, signal);
  const forMs = typeof timeoutSeconds === "number" ? timeoutSeconds * 1000 : undefined;
  const timeout = forMs === undefined ? undefined : AbortSignal.timeout(forMs);
  const end = firstOf(signal, timeout);
  let last: number | undefined = query.afterEvent as number | undefined;
  if (last === undefined) last = await newest(wire, { signal, forMs });
  const absence = new Absence(wire.onAway);
  const isBack = () => absence.end();
  for (;;) {
    try {
      for await (const event of connect(wire, { ...query, afterEvent: last }, { signal: end, isBack })) {
        // Several events may come in one chunk: after an abort the rest of it is dropped.
        if (end?.aborted) break;
        yield event;
        last = event.eventId;
      }
    } catch (error) {
      if (!end?.aborted && !isAway(error)) throw error;
      absence.goesOn();
    }
    signal?.throwIfAborted();
    if (timeout?.aborted) return yield* untold(wire, { ...query, afterEvent: last }, signal);
    // The hub stopped or the connection was lost: missed events are sent first when it is back.
    await new Promise((done) => setTimeout(done, pauseMs));
  }
}

const isAway = (error: unknown) => !(error instanceof InboxError) || error.details?.unreachable;

/** The events from before the timeout that were not yielded yet, as on a file. None if the hub cannot be reached. */
async function* untold(
  wire: Wire,
  query: Record<string, unknown>,
  signal?: AbortSignal,
): AsyncGenerator<Event> {
  try {
    yield* soFar(wire, query, signal, graceMs);
  } catch (error) {
    signal?.throwIfAborted();
    if (!isAway(error)) throw error;
  }
}

/** [W3] The events since the cursor, and no more. */
async function* soFar(
  wire: Wire,
  query: Record<string, unknown>,
  signal?: AbortSignal,
  patienceMs?: number,
): AsyncGenerator<Event> {
  const limit = typeof query.limit === "number" ? query.limit : 1;
  let afterEvent = query.afterEvent;
  for (;;) {
    const text = asQuery({ ...query, afterEvent, timeoutSeconds: 0 });
    const silence = patienceMs === undefined ? undefined : AbortSignal.timeout(patienceMs);
    const response = await call(wire, `/api/events/wait?${text}`, {
      headers: headersOf(wire),
      signal: firstOf(signal, silence),
    });
    const page = (await response.json()) as { events: Event[]; nextEventId: number };
    for (const event of page.events) {
      signal?.throwIfAborted();
      yield event;
    }
    // A page that is not full is the last. Reading until one is empty would never end on a busy bus.
    if (page.events.length < limit) return;
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

/** The position where "from now on" begins, so that a connection lost at once loses nothing. */
async function newest(
  wire: Wire,
  { signal, forMs }: { signal: AbortSignal | undefined; forMs: number | undefined },
): Promise<number> {
  const path = `/api/events/wait?timeoutSeconds=0&limit=1`;
  const silence = forMs === undefined ? undefined : AbortSignal.timeout(forMs + graceMs);
  try {
    const response = await call(wire, path, { headers: headersOf(wire), signal: firstOf(signal, silence) });
    return ((await response.json()) as { nextEventId: number }).nextEventId;
  } catch (error) {
    throw silence?.aborted && !signal?.aborted ? unreachable(wire.url, error) : error;
  }
}

async function* connect(
  wire: Wire,
  query: Record<string, unknown>,
  { signal, isBack }: { signal: AbortSignal | undefined; isBack: () => void },
): AsyncGenerator<Event> {
  const headers = { ...headersOf(wire), accept: "text/event-stream" };
  const response = await call(wire, `/api/events?${asQuery(query)}`, { headers, signal });
  isBack();
  for await (const { data } of serverSent(response.body!)) yield JSON.parse(data);
}
