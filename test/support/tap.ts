/**
 * Stands between the program and the broker, and counts what they say to each other: a queue's length does not tell what
 * was delivered, held and given back. It can also cut the line, or let it fall silent.
 */
import { connect, createServer, type Socket } from "node:net";

/** By class and method, as the protocol numbers them. */
const methods = {
  open: "20.10",
  consume: "60.20",
  cancel: "60.30",
  publish: "60.40",
  deliver: "60.60",
  ack: "60.80",
  nack: "60.120",
} as const;
type Method = keyof typeof methods;

export interface Tap {
  url: string;
  /** How often a reader, or a writer, or the broker has said it. Confirms, which are the broker's acks, do not count. */
  said(method: Method): number;
  /** How many have called. */
  calls(): number;
  /** Every connection breaks; new ones are let through. */
  cut(): void;
  /** Nothing passes any more, and nobody is told … */
  freeze(): void;
  /** … until now: what was held back goes on. */
  thaw(): void;
  stop(): Promise<void>;
}

/** `silentFrom`: it freezes by itself when somebody says that, before the broker has heard it. */
export async function startTap(url: string, { silentFrom }: { silentFrom?: Method } = {}): Promise<Tap> {
  const target = new URL(url);
  const { port, hostname } = target;
  const counted = new Map<string, number>();
  const sockets = new Set<Socket>();
  let calls = 0;
  let frozen = false;
  let heldBack: (() => void)[] = [];

  const count = (bytes: Buffer) => {
    const name = `${bytes.readUInt16BE(0)}.${bytes.readUInt16BE(2)}`;
    counted.set(name, (counted.get(name) ?? 0) + 1);
  };

  const server = createServer((client) => {
    calls++;
    const broker = connect(Number(port), hostname);
    const cut = () => {
      for (const socket of [client, broker]) socket.destroy();
    };
    for (const socket of [client, broker]) {
      socket.setNoDelay(true);
      sockets.add(socket);
      socket.on("error", cut);
      socket.on("close", () => {
        sockets.delete(socket);
        cut();
      });
    }
    const fromClient = frames("AMQP0091".length, count);
    const fromBroker = frames(0, (payload) => {
      if (payload.readUInt16BE(2) !== 80) count(payload);
    });
    const pass = (to: Socket, read: (bytes: Buffer) => void) => (bytes: Buffer) => {
      read(bytes);
      if (silentFrom && counted.has(methods[silentFrom])) frozen = true;
      if (frozen) heldBack.push(() => to.write(bytes));
      else to.write(bytes);
    };
    client.on("data", pass(broker, fromClient));
    broker.on("data", pass(client, fromBroker));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  target.port = String((server.address() as { port: number }).port);
  const cutAll = () => {
    for (const socket of [...sockets]) socket.destroy();
  };
  return {
    url: target.href,
    said: (method) => counted.get(methods[method]) ?? 0,
    calls: () => calls,
    cut: cutAll,
    freeze: () => {
      frozen = true;
    },
    thaw: () => {
      frozen = false;
      for (const go of heldBack) go();
      heldBack = [];
    },
    stop: () =>
      new Promise((stopped) => {
        server.close(() => stopped());
        cutAll();
      }),
  };
}

const methodFrame = 1;

/** Cuts a stream into frames (a type, a channel, a length, a payload and one byte more) and shows those that are methods. */
function frames(greeting: number, onMethod: (payload: Buffer) => void): (bytes: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  let skip = greeting;
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    if (rest.length < skip) return;
    rest = rest.subarray(skip);
    skip = 0;
    while (rest.length >= 7) {
      const end = 7 + rest.readUInt32BE(3);
      if (rest.length <= end) return;
      if (rest[0] === methodFrame) onMethod(rest.subarray(7, end));
      rest = rest.subarray(end + 1);
    }
  };
}
