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
  /** How many bytes pass before it happens. */
  left: number;
}

const { ports, seed, file } = JSON.parse(process.argv[2]!) as LinesConfig;
const random = randomOf(seed);
const record = recorder(file, "rest", "lines");
let rate = 0;
/** Whenever the rate changes each connection, old or new, may be chosen once. */
let turn = 0;

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
  return { way, of: random() < 0.5 ? "request" : "answer", left: Math.floor(random() * 4000) };
}

function carry(client: Socket, port: number): void {
  const hub = connect(port, "127.0.0.1");
  let plan: Plan | undefined;
  let drawn = 0;
  const choose = () => {
    if (plan || drawn === turn) return;
    drawn = turn;
    plan = planned();
  };
  const cut = () => {
    client.destroy();
    hub.destroy();
  };
  let abandoned = false;
  for (const socket of [client, hub]) {
    socket.setNoDelay(true);
    socket.on("error", cut);
  }
  hub.on("close", cut);
  client.on("close", () => {
    if (!abandoned) cut();
  });
  const pass = (from: Socket, to: Socket, of: Plan["of"]) =>
    from.on("data", async (bytes: Buffer) => {
      choose();
      if (plan?.of !== of || plan.left >= bytes.length) {
        if (plan?.of === of) plan.left -= bytes.length;
        return void to.write(bytes);
      }
      const broke = plan;
      plan = undefined;
      to.write(bytes.subarray(0, broke.left));
      if (broke.way === "delay") {
        const ms = random() * 1500;
        broken(broke, ms);
        from.pause();
        await Bun.sleep(ms);
        to.write(bytes.subarray(broke.left));
        return void from.resume();
      }
      broken(broke);
      if (broke.way === "reset") client.resetAndDestroy();
      // The client sees its connection end, and the hub does not.
      abandoned = broke.way === "abandon";
      if (abandoned) client.destroy();
      else cut();
    });
  pass(client, hub, "request");
  pass(hub, client, "answer");
}

const urls = await Promise.all(
  ports.map(async (port) => {
    const server = createServer((client) => carry(client, port));
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  }),
);
console.log(JSON.stringify(urls));
for await (const chunk of Bun.stdin.stream().pipeThrough(new TextDecoderStream())) {
  rate = Number(chunk.trim().split("\n").at(-1));
  turn++;
}
process.exit(0);
