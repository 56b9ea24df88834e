/** The line to the hub: whether events flow. A stream that says nothing for longer than its heartbeat allows is cut here. */
import { signal } from "@preact/signals";

export type Line = "connecting" | "open" | "lost";
export const line = signal<Line>("connecting");

const silenceMs = 40_000;
const isEvents = (url: string) => new URL(url, location.href).pathname === "/api/events";

export async function observed(url: string, init: RequestInit): Promise<Response> {
  if (!isEvents(url)) return fetch(url, init);
  try {
    const response = await fetch(url, init);
    if (!response.ok || !response.body) {
      line.value = "lost";
      return response;
    }
    line.value = "open";
    return new Response(attentive(response.body), response);
  } catch (error) {
    if (!init.signal?.aborted) line.value = "lost";
    throw error;
  }
}

function attentive(body: ReadableStream<Uint8Array<ArrayBuffer>>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader();
  const over = () => {
    line.value = "lost";
  };
  return new ReadableStream({
    async pull(controller) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const silence = new Promise<never>((_, refuse) => {
        timer = setTimeout(() => refuse(new Error("the hub has gone silent")), silenceMs);
      });
      try {
        const { value, done } = await Promise.race([reader.read(), silence]);
        if (!done) return controller.enqueue(value);
        over();
        controller.close();
      } catch {
        over();
        controller.close();
        void reader.cancel().catch(() => {});
      } finally {
        clearTimeout(timer);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
