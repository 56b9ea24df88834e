/** The one writer of server-sent events: the first comment, the heartbeat, and an end that happens once. */
const heartbeatMs = 15_000;
const encoder = new TextEncoder();

export interface SseWriter {
  /** False once the stream has ended. */
  write(event: SseEvent): boolean;
  end(): void;
}

interface SseEvent {
  id?: number;
  event: string;
  data: object;
}

interface SseOptions {
  /** The stream ends with any of these. */
  ends: readonly AbortSignal[];
  /** Called once, however the stream ends. */
  over(): void;
  /** For events that arrive by themselves: called once, at the start; the function it returns is called at the end. */
  begin?(writer: SseWriter): () => void;
  /** For events that are read one by one: called whenever the reader has room for the next. */
  pull?(writer: SseWriter): Promise<void>;
}

export function openSse({ ends, over, begin, pull }: SseOptions): Response {
  let finish = () => {};
  let writer: SseWriter;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      let ended = false;
      let stop: (() => void) | undefined;
      const end = () => {
        if (ended) return;
        finish();
        try {
          controller.close();
        } catch {
          // The reader closed it first.
        }
      };
      const send = (text: string) => {
        if (ended) return false;
        try {
          controller.enqueue(encoder.encode(text));
          return true;
        } catch {
          end();
          return false;
        }
      };
      const heartbeat = setInterval(() => send(": still here\n\n"), heartbeatMs);
      finish = () => {
        if (ended) return;
        ended = true;
        clearInterval(heartbeat);
        for (const signal of ends) signal.removeEventListener("abort", end);
        stop?.();
        over();
      };
      for (const signal of ends) signal.addEventListener("abort", end);
      writer = { write: (event) => send(textOfEvent(event)), end };
      send(": here\n\n");
      stop = begin?.(writer);
      if (ended) stop?.();
      else if (ends.some((signal) => signal.aborted)) end();
    },
    ...(pull && { pull: () => pull(writer) }),
    cancel: () => finish(),
  });
  return new Response(body, {
    headers: { "content-type": "text/event-stream", "cache-control": "no-store" },
  });
}

const textOfEvent = ({ id, event, data }: SseEvent) =>
  `${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
