/** A keep-alive connection with as little as possible in the way: requests as bytes, one at a time, whole answers. */
export interface Line {
  /** The answer's body; anything but a success throws. */
  ask(request: string): Promise<string>;
  close(): void;
}

export async function openLine(url: string): Promise<Line> {
  const { hostname, port } = new URL(url);
  let text = "";
  let answer: PromiseWithResolvers<string> | undefined;
  let closed = false;
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data(_, bytes) {
        text += bytes.toString("latin1");
        if (!isWhole(text)) return;
        const whole = text;
        text = "";
        if (/^HTTP\/1\.1 2/.test(whole)) answer?.resolve(bodyOf(whole));
        else answer?.reject(new Error(whole));
      },
      close() {
        closed = true;
        answer?.reject(new Error("the connection was closed"));
      },
    },
  });
  return {
    ask(request) {
      if (closed) return Promise.reject(new Error("the connection was closed before"));
      answer = Promise.withResolvers();
      socket.write(request);
      return answer.promise;
    },
    close() {
      answer?.promise.catch(() => {}); // a wait that nobody is interested in any more
      socket.terminate();
    },
  };
}

export const openLines = (url: string, count: number) =>
  Promise.all(Array.from({ length: count }, () => openLine(url)));

/** Requests that stay open, a connection each; the answer ends them. */
export async function holdOpen(url: string, requests: readonly string[]): Promise<() => void> {
  const lines = await openLines(url, requests.length);
  for (const [i, line] of lines.entries()) line.ask(requests[i]!).catch(() => {});
  return () => {
    for (const line of lines) line.close();
  };
}

function isWhole(text: string): boolean {
  const head = text.indexOf("\r\n\r\n");
  if (head < 0) return false;
  const length = /\r\ncontent-length: (\d+)/i.exec(text);
  return length ? text.length >= head + 4 + Number(length[1]) : text.endsWith("\r\n0\r\n\r\n");
}

function bodyOf(whole: string): string {
  const at = whole.indexOf("\r\n\r\n") + 4;
  if (/\r\ncontent-length: /i.test(whole.slice(0, at))) return whole.slice(at);
  let body = "";
  for (let from = at; ; ) {
    const start = whole.indexOf("\r\n", from) + 2;
    const length = Number.parseInt(whole.slice(from, start), 16);
    if (!length) return body;
    body += whole.slice(start, start + length);
    from = start + length + 2;
  }
}
