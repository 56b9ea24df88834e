/** A reader of server-sent events that shows all there is to them. */
export interface Sent {
  id: string;
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every type
  data: any;
}

export interface Stream {
  status: number;
  headers: Headers;
  /** The next event; comments are passed over. */
  next(): Promise<Sent>;
  take(count: number): Promise<Sent[]>;
  /** Resolves once the hub has ended the stream. */
  ended(): Promise<void>;
  close(): void;
}

/** Opens it, and returns once the hub has said that it listens. */
export async function openStream(url: string, headers: Record<string, string> = {}): Promise<Stream> {
  const ending = new AbortController();
  const response = await fetch(url, { headers, signal: ending.signal });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const block = async (): Promise<string | undefined> => {
    while (!text.includes("\n\n")) {
      const { value, done } = await reader.read();
      if (done) return undefined;
      text += value;
    }
    const at = text.indexOf("\n\n");
    const found = text.slice(0, at);
    text = text.slice(at + 2);
    return found;
  };
  const next = async (): Promise<Sent> => {
    for (;;) {
      const found = await block();
      if (found === undefined) throw new Error("the stream has ended");
      if (found.startsWith(":")) continue;
      const lines = found.split("\n").map((line) => line.split(/: (.*)/s) as [string, string]);
      const fields = Object.fromEntries(lines);
      return { id: fields.id!, event: fields.event!, data: JSON.parse(fields.data!) };
    }
  };
  if (response.ok) await block();
  return {
    status: response.status,
    headers: response.headers,
    next,
    take: async (count) => {
      const taken: Sent[] = [];
      while (taken.length < count) taken.push(await next());
      return taken;
    },
    ended: async () => {
      while ((await block()) !== undefined);
    },
    close: () => ending.abort(),
  };
}
