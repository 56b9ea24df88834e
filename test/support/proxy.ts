/**
 * Stands between the driver and the server, reads what the client says, and can strike when it commits a write: cut the
 * connection or let it fall silent, before the server has heard the commit or after it has carried it out.
 */
import { connect, createServer, type Socket } from "node:net";

/** `abandon`: the client sees its connection end, the server does not, and keeps the transaction. */
export type Fault = "cut before" | "cut after" | "freeze before" | "freeze after" | "abandon before";

export interface FaultyLine {
  url: string;
  /** The next commit of a write meets this, once; answers when it has happened. */
  strike(fault: Fault): Promise<void>;
  /** How many transactions that write were begun, and how many statements were plain cases, which commit by themselves. */
  readonly heard: Readonly<Heard>;
  /** How many connections were made. */
  readonly made: number;
  /** From now on nothing is passed on, on new connections either: the server seems to be stopped, but not gone. */
  silence(): void;
  /** Cuts all connections, also the silent ones. */
  cut(): void;
  stop(): Promise<void>;
}

interface Heard {
  begun: number;
  plain: number;
}

/** `url` is the server's; the proxy's has its own port in it. */
export async function startProxy(url: string): Promise<FaultyLine> {
  const { hostname, port } = new URL(url);
  let armed: { fault: Fault; struck(): void } | undefined;
  const sockets = new Set<Socket>();
  const heard: Heard = { begun: 0, plain: 0 };
  let made = 0;
  let silent = false;

  const server = createServer((client) => {
    made++;
    const upstream = connect(Number(port), hostname);
    const both = [client, upstream];
    let frozen = false;
    /** The commit was passed on; what the server says to it is not. */
    let waitingFor: { fault: Fault; struck(): void } | undefined;
    const cut = () => {
      for (const socket of both) socket.destroy();
    };
    for (const socket of both) {
      socket.setNoDelay(true);
      sockets.add(socket);
      socket.on("error", cut);
      socket.on("close", () => {
        sockets.delete(socket);
        if (!frozen) cut();
      });
    }
    const isCommitOfWrite = commitsOfWrites(heard);
    client.on("data", (bytes: Buffer) => {
      if (frozen || silent) return;
      if (!isCommitOfWrite(bytes) || !armed) return void upstream.write(bytes);
      const now = armed;
      armed = undefined;
      if (now.fault.endsWith("after")) {
        waitingFor = now;
        return void upstream.write(bytes);
      }
      if (now.fault === "cut before") cut();
      else frozen = true;
      if (now.fault === "abandon before") client.destroy();
      now.struck();
    });
    upstream.on("data", (bytes: Buffer) => {
      if (frozen || silent) return;
      // The server's word that it has committed: from here on it is true, and nobody hears of it.
      if (!waitingFor || !(bytes.includes("COMMIT\0") || bytes.includes("SELECT 1\0")))
        return void client.write(bytes);
      if (waitingFor.fault === "freeze after") frozen = true;
      else cut();
      waitingFor.struck();
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const own = new URL(url);
  own.port = String((server.address() as { port: number }).port);
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: own.href,
    heard,
    get made() {
      return made;
    },
    strike: (fault) =>
      new Promise((struck) => {
        armed = { fault, struck };
      }),
    silence() {
      silent = true;
    },
    cut,
    stop: () =>
      new Promise((stopped) => {
        server.close(() => stopped());
        cut();
      }),
  };
}

/**
 * Follows the client's messages: a length and, after the first one, a letter before it. `Q` is a statement without values,
 * as `begin` and `commit` are. Reads begin and commit too, but say so. `P` prepares a statement under a name, `B` runs it.
 */
function commitsOfWrites(heard: Heard): (bytes: Buffer) => boolean {
  let rest: Buffer = Buffer.alloc(0);
  let started = false;
  let writing = false;
  let within = false;
  const plain = new Set<string>();
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    let committed = false;
    for (;;) {
      const head = started ? 1 : 0;
      if (rest.length < head + 4) return committed;
      const end = head + rest.readUInt32BE(head);
      if (rest.length < end) return committed;
      const letter = started ? String.fromCharCode(rest[0]!) : "";
      const [first = "", second = ""] = rest.toString("utf8", head + 4, end).split("\0", 2);
      if (letter === "Q" && first.startsWith("begin")) {
        within = true;
        writing = first === "begin";
        if (writing) heard.begun++;
      }
      if (letter === "Q" && first === "commit") {
        within = false;
        committed ||= writing;
      }
      if (letter === "P" && /^with (caller|calling) as materialized/.test(second)) plain.add(first);
      if (letter === "B" && plain.has(second)) {
        heard.plain++;
        committed ||= !within;
      }
      started = true;
      rest = rest.subarray(end);
    }
  };
}
