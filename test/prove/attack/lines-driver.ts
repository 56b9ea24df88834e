/**
 * Lines between clients and hubs that can be broken: a connection is cut, reset, held up or left half open at some byte of a
 * request or of an answer. `bun lines-driver.ts CONFIG`. Prints the addresses, then reads how many connections to break.
 */
import { connect, createServer, type Socket } from "node:net";
import { randomOf } from "../../support/random.ts";
import type { LinesConfig } from "./lines.ts";
import { now, recorder } from "./recorder.ts";

const ways = ["cut", "reset", "delay", "abandon"] as const;

interface Plan {
  way: (typeof ways)[number];
  of: "request" | "answer";
  /** The byte at which it happens, from the beginning of the connection. */
  byte: number;
}

const { ports, seed, file } = JSON.parse(process.argv[2]!) as LinesConfig;
const random = randomOf(seed);
const record = recorder(file, "rest", "lines");
let rate = 0;

const broken = ({ way, of }: Plan, ms = 0) =>
  record.note({
    type: "fault",
    nemesis: "break-lines",
    at: now(),
    until: now() + ms,
    detail: `${way} ${of}`,
  });

function planned(): Plan | undefined {
  if (random() >= rate) return undefined;
  const way = ways[Math.floor(random() * ways.length)]!;
  return { way, of: random() < 0.5 ? "request" : "answer", byte: Math.floor(random() * 4000) };
}

function carry(client: Socket, port: number): void {
  const hub = connect(port, "127.0.0.1");
  const plan = planned();
  const cut = () => {
    client.destroy();
    hub.destroy();
  };
  for (const socket of [client, hub]) {
    socket.setNoDelay(true);
    socket.on("error", cut);
    socket.on("close", () => {
      if (plan?.way !== "abandon") cut();
    });
  }
  const pass = (from: Socket, to: Socket, plan?: Plan) => {
    let left = plan?.byte ?? Number.POSITIVE_INFINITY;
    from.on("data", async (bytes: Buffer) => {
      if (left >= bytes.length) {
        left -= bytes.length;
        return void to.write(bytes);
      }
      to.write(bytes.subarray(0, left));
      const rest = bytes.subarray(left);
      left = Number.POSITIVE_INFINITY;
      if (plan!.way === "delay") {
        const ms = random() * 1500;
        broken(plan!, ms);
        from.pause();
        await Bun.sleep(ms);
        to.write(rest);
        return void from.resume();
      }
      broken(plan!);
      if (plan!.way === "reset") client.resetAndDestroy();
      // The client sees its connection end, and the hub does not.
      if (plan!.way === "abandon") client.destroy();
      else cut();
    });
  };
  pass(client, hub, plan?.of === "request" ? plan : undefined);
  pass(hub, client, plan?.of === "answer" ? plan : undefined);
}

const urls = await Promise.all(
  ports.map(async (port) => {
    const server = createServer((client) => carry(client, port));
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  }),
);
console.log(JSON.stringify(urls));
for await (const chunk of Bun.stdin.stream().pipeThrough(new TextDecoderStream()))
  rate = Number(chunk.trim().split("\n").at(-1));
process.exit(0);
