/** [B4] How a session on standard input and output ends, and what becomes of the mail of its last answer. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { createDatabase } from "../../src/engines/sqlite/connect.ts";
import { openInbox } from "../../src/inbox/inbox.ts";
import { program } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";
import { rows } from "../support/stored.ts";
import { until } from "../support/until.ts";

/**
 * A client of pipes, or of sockets as most runtimes make them, which reads nothing it is not told to. It says "asked" once
 * the server has answered, ends the session as it is told, and waits for its server to end.
 */
const client = `
import json, os, select, signal, socket, subprocess, sys, time
kind, reads, end, program = sys.argv[1:5]
if kind == "socket":
    mine, theirs = socket.socketpair()
    out, their_out = socket.socketpair()
    server = subprocess.Popen([program, "mcp"], stdin=theirs, stdout=their_out)
    theirs.close(); their_out.close()
    write, read = mine.fileno(), out.fileno()
else:
    server = subprocess.Popen([program, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    write, read = server.stdin.fileno(), server.stdout.fileno()
def say(message):
    os.write(write, (json.dumps({"jsonrpc": "2.0", **message}) + "\\n").encode())
def line():
    got = b""
    while not got.endswith(b"\\n"): got += os.read(read, 65536)
who = {"name": "t", "version": "1"}
say({"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": who}})
line()
say({"method": "notifications/initialized"})
say({"id": 2, "method": "tools/call", "params": {"name": "receive", "arguments": {"timeout": 20}}})
if reads == "read": line()
else: select.select([read], [], [])
if end == "input":
    mine.shutdown(socket.SHUT_WR) if kind == "socket" else server.stdin.close()
elif end == "signal": server.send_signal(signal.SIGINT)
else: os.kill(os.getpid(), signal.SIGKILL)
server.wait()
`;

const ways = ["pipe", "socket"].flatMap((kind) =>
  ["input", "signal", "killed"].map((end) => ({ kind, end })),
);

async function session(kind: string, reads: string, end: string, message: string) {
  using folder = temporaryFolder();
  const db = join(folder.path, "coord.db");
  createDatabase(db);
  const inbox = openInbox(db);
  try {
    await inbox.call("mailbox.send", { from: "boss", to: "w", message });
    const child = Bun.spawn(["python3", "-c", client, kind, reads, end, program], {
      env: { PATH: process.env.PATH!, INBOX_DB: db, INBOX_AGENT: "w" },
      stdio: ["ignore", "ignore", "inherit"],
    });
    await child.exited;
    // Who was killed has not waited for its server: that ends by itself, and settles before it does.
    await until(
      "nothing is handed over any more",
      () => rows(db, "select 1 from messages where hidden_until is not null").length === 0,
    );
    return (await inbox.call("mailbox.check", { agent: "w" })).messages;
  } finally {
    await inbox.close();
  }
}

const python = Bun.which("python3") !== null;
const linux = process.platform === "linux";

describe.skipIf(!python || !linux)("a session that ends (needs Linux and python3)", () => {
  test.each(ways)(
    "[B4] by $end, over a $kind: an answer that was read is collected",
    async ({ kind, end }) => {
      expect(await session(kind, "read", end, "Pay invoice 17")).toEqual([]);
    },
  );

  test.each(ways)(
    "[B4] by $end, over a $kind: an answer still unread comes back, marked as redelivered",
    async ({ kind, end }) => {
      expect(await session(kind, "unread", end, "Pay invoice 17")).toMatchObject([
        { message: "Pay invoice 17", redelivered: true },
      ]);
    },
  );
});
