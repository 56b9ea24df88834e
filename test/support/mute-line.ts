/** Stands between a client and a hub: passes every request on, and swallows the answers to those that match, or the first few of them. */
import { connect, createServer, type Socket } from "node:net";

export interface MuteLine extends AsyncDisposable {
  url: string;
  /** How many answers were swallowed. */
  swallowed(): number;
}

export async function muteLine(
  hub: string,
  mute: RegExp,
  most = Number.POSITIVE_INFINITY,
): Promise<MuteLine> {
  const { hostname, port } = new URL(hub);
  const sockets = new Set<Socket>();
  let count = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    let muted = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      const end = () => {
        client.destroy();
        upstream.destroy();
      };
      socket.on("error", end);
      socket.on("close", () => {
        sockets.delete(socket);
        end();
      });
    }
    client.on("data", (bytes: Buffer) => {
      const text = bytes.toString("latin1");
      // A request may come in pieces: its first one says what it is.
      if (/^[A-Z]+ \//.test(text)) muted = count < most && mute.test(text);
      upstream.write(bytes);
    });
    upstream.on("data", (bytes: Buffer) => {
      if (!muted) return void client.write(bytes);
      count++;
      client.destroy();
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    swallowed: () => count,
    [Symbol.asyncDispose]: () =>
      new Promise((closed) => {
        server.close(() => closed());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
