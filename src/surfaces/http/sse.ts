/** The common part of server-sent events: the greeting, the heartbeat, and an end that comes once. */
const heartbeatMs = 15_000;
const encoder = new TextEncoder();

export interface Channel {
  /** False once the reader has gone. */
  say(text: string): boolean;
  end(): void;
}

/** `begin` is told where to write, and answers what is to be done at the end. */
export function openSse(signals: readonly AbortSignal[], begin: (channel: Channel) => () => void): Response {
  let over = () => {};
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      let ended = false;
      const end = () => {
        if (ended) return;
        ended = true;
        over();
        try {
          controller.close();
        } catch {
          // The reader closed it first.
        }
      };
      const say = (text: string) => {
        if (ended) return false;
        try {
          controller.enqueue(encoder.encode(text));
          return true;
        } catch {
          end();
          return false;
        }
      };
      say(": here\n\n");
      const heartbeat = setInterval(() => say(": still here\n\n"), heartbeatMs);
      for (const signal of signals) signal.addEventListener("abort", end);
      let finish = () => {};
      over = () => {
        clearInterval(heartbeat);
        for (const signal of signals) signal.removeEventListener("abort", end);
        finish();
      };
      finish = begin({ say, end });
      if (ended) finish();
      else if (signals.some((signal) => signal.aborted)) end();
    },
    cancel: () => over(),
  });
  return new Response(body, {
    headers: { "content-type": "text/event-stream", "cache-control": "no-store" },
  });
}
