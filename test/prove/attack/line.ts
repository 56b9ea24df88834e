/**
 * A line between clients and a hub that can be broken: a connection is cut, reset, held up or left half open at some byte of
 * a request or of an answer.
 */
import { connect, createServer, type Socket } from "node:net";

const ways = ["cut", "reset", "delay", "abandon"] as const;
export type Way = (typeof ways)[number];

export interface Line {
  url: string;
  /** How many of the connections are broken, from 0 to 1. */
  rate: number;
  stop(): Promise<void>;
}

interface Plan {
  way: Way;
  of: "request" | "answer";
  /** The byte at which it happens, from the beginning of the connection. */
  byte: number;
}

export async function startLine(
  port: number,
  random: () => number,
  broken: (way: Way, ms: number) => void,
): Promise<Line> {
  const sockets = new Set<Socket>();
  const planned = (): Plan | undefined =>
    random() < line.rate
      ? {
          way: ways[Math.floor(random() * ways.length)]!,
          of: random() < 0.5 ? "request" : "answer",
          byte: Math.floor(random() * 4000),
        }
      : undefined;

  const server = createServer((client) => {
    const hub = connect(port, "127.0.0.1");
    const plan = planned();
    const cut = () => {
      client.destroy();
      hub.destroy();
    };
    for (const socket of [client, hub]) {
      socket.setNoDelay(true);
      sockets.add(socket);
      socket.on("error", cut);
      socket.on("close", () => {
        sockets.delete(socket);
        if (plan?.way !== "abandon") cut();
      });
    }
    pass(client, hub, plan?.of === "request" ? plan : undefined);
    pass(hub, client, plan?.of === "answer" ? plan : undefined);

    function pass(from: Socket, to: Socket, plan: Plan | undefined): void {
      let seen = 0;
      let done = plan === undefined;
      from.on("data", async (bytes: Buffer) => {
        const left = done ? bytes.length : plan!.byte - seen;
        seen += bytes.length;
        if (left >= bytes.length) return void to.write(bytes);
        done = true;
        to.write(bytes.subarray(0, left));
        if (plan!.way === "delay") {
          const ms = random() * 1500;
          broken("delay", ms);
          from.pause();
          await Bun.sleep(ms);
          to.write(bytes.subarray(left));
          from.resume();
          return;
        }
        broken(plan!.way, 0);
        if (plan!.way === "reset") client.resetAndDestroy();
        // The client sees its connection end, and the hub does not.
        if (plan!.way === "abandon") client.destroy();
        else cut();
      });
    }
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port: own } = server.address() as { port: number };
  const line: Line = {
    url: `http://127.0.0.1:${own}`,
    rate: 0,
    stop: () =>
      new Promise((stopped) => {
        server.close(() => stopped());
        for (const socket of sockets) socket.destroy();
      }),
  };
  return line;
}
