/** A connection to a hub whose every byte and every end is the test's own. */
import { connect, type Socket } from "node:net";

export interface Line {
  socket: Socket;
  /** All that has come so far. */
  received(): string;
  send(text: string): void;
  /** Resolves when something that matches has come; fails when the other side ends before. */
  until(pattern: RegExp): Promise<string>;
  /** Resolves with all that came, when the other side has closed. */
  closed: Promise<string>;
  /** Ends it at once, with a reset where the system allows it. */
  cut(): void;
}

export async function line(url: string): Promise<Line> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  let text = "";
  let changed = Promise.withResolvers<void>();
  let over = false;
  const change = () => {
    changed.resolve();
    changed = Promise.withResolvers<void>();
  };
  const closed = new Promise<string>((done) => {
    const finish = () => {
      over = true;
      change();
      done(text);
    };
    socket.on("end", finish);
    socket.on("close", finish);
  });
  socket.on("data", (bytes) => {
    text += bytes.toString("latin1");
    change();
  });
  await new Promise<void>((done, failed) => {
    socket.once("connect", () => done());
    socket.once("error", failed);
  });
  socket.on("error", () => {});
  return {
    socket,
    received: () => text,
    send: (more) => void socket.write(more),
    async until(pattern) {
      while (!pattern.test(text)) {
        if (over) throw new Error(`the hub closed the connection after ${JSON.stringify(text)}`);
        await changed.promise;
      }
      return text;
    },
    closed,
    cut: () => void socket.resetAndDestroy(),
  };
}

/** One request as bytes. */
export function bytesOf(route: string, body?: unknown, headers: Record<string, string> = {}): string {
  const [method, path] = route.split(" ") as [string, string];
  const text = body === undefined ? "" : JSON.stringify(body);
  const all: Record<string, string> = {
    host: "127.0.0.1",
    ...(body !== undefined && {
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(text)),
    }),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${text}`;
}
