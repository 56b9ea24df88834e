/** [W6] Events as they happen, as server-sent events. The reader sets the pace: nothing is read ahead of it. */
import type { Caller } from "../../inbox/caller.ts";
import type { Inbox } from "../../inbox/inbox.ts";

const heartbeatMs = 15_000;

export function eventStream(
  request: Request,
  inbox: Inbox,
  filter: Record<string, unknown>,
  { ends, over, caller }: { ends: readonly AbortSignal[]; over: () => void; caller: Caller },
): Response {
  const last = request.headers.get("last-event-id");
  const input = last === null ? filter : { ...filter, afterEvent: /^\d+$/.test(last) ? Number(last) : last };
  const ending = new AbortController();
  const end = () => ending.abort();
  const events = inbox.follow(input, { signal: ending.signal, caller });
  for (const signal of ends) signal.addEventListener("abort", end);
  if (ends.some((signal) => signal.aborted)) end();
  const encoder = new TextEncoder();
  let heartbeat: Timer | undefined;
  const finish = () => {
    clearInterval(heartbeat);
    for (const signal of ends) signal.removeEventListener("abort", end);
    over();
    end();
  };
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(encoder.encode(": here\n\n"));
      heartbeat = setInterval(() => {
        try {
          controller.enqueue(encoder.encode(": still here\n\n"));
        } catch {
          finish();
        }
      }, heartbeatMs);
    },
    async pull(controller) {
      try {
        const { value, done } = await events.next();
        if (done) {
          finish();
          controller.close();
          return;
        }
        controller.enqueue(
          encoder.encode(
            `id: ${value.eventId}\nevent: ${value.eventType}\ndata: ${JSON.stringify(value)}\n\n`,
          ),
        );
      } catch {
        finish();
        controller.close();
      }
    },
    cancel: finish,
  });
  return new Response(body, {
    headers: { "content-type": "text/event-stream", "cache-control": "no-store" },
  });
}
