/** `inbox mcp`: the server on standard input and output, until its client disconnects. */
import type { JSONRPCMessage, McpRequestContext, Server, Transport } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import type { ToolListing } from "../../contract/operation.ts";
import type { Inbox } from "../../inbox/inbox.ts";
import type { Session } from "./call.ts";
import { openChanges } from "./changes.ts";
import { makeServer } from "./server.ts";
import { openSettling } from "./settle.ts";
import { openStandardInput } from "./standard-input.ts";
import { openStandardOutput } from "./standard-output.ts";

export async function runStdio(
  inbox: Inbox,
  who: Pick<Session, "caller" | "agent">,
  sets: readonly ToolListing[] | undefined,
): Promise<void> {
  const settling = openSettling();
  const changes = openChanges(inbox);
  const here = { cwd: process.cwd(), env: process.env };
  const session = { inbox, ...who, here, settling, changes };
  let server: Server | undefined;
  let told = false;
  // The library itself handles subscriptions of the newest revision and calls nothing of ours, so reading events must
  // have started.
  const output = openStandardOutput();
  const input = openStandardInput((answer) => void transport.send(answer).catch(() => {}));
  const transport = observed(new StdioServerTransport(input, output.stream), {
    async listening() {
      const subscribed = await changes.ready().catch(() => {});
      if (!told) changes.subscribe((uri) => void server?.sendResourceUpdated({ uri }).catch(() => {}));
      told = true;
      subscribed?.();
    },
    writing: output.writing,
  });
  const make = (context: McpRequestContext) => {
    server = makeServer(session, { sets }, context);
    return server;
  };
  const handle = serveStdio(make, { transport });
  await new Promise<void>((ended) => {
    process.stdin.once("close", ended);
    process.stdin.once("end", ended);
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => ended());
    void output.gone.then(ended);
  });
  // Clients end a session in many ways: some close our input, some send a signal, some just exit. They have what they have
  // read by then; nobody has seen what is still in the pipe.
  const wasRead = output.reader();
  changes.close();
  await settling.close(wasRead);
  await handle.close();
}

interface Observer {
  /** Done before the library learns that a client wants to listen. */
  listening(): Promise<void>;
  writing(message: JSONRPCMessage): void;
}

/** The same transport, with a callback for every message. */
function observed(inner: StdioServerTransport, { listening, writing }: Observer): Transport {
  const listens = (message: JSONRPCMessage) =>
    "method" in message && message.method === "subscriptions/listen";
  const outer: Transport = {
    async start() {
      inner.onmessage = async (message) => {
        if (listens(message)) await listening();
        outer.onmessage?.(message);
      };
      inner.onclose = () => outer.onclose?.();
      inner.onerror = (error) => outer.onerror?.(error);
      await inner.start();
    },
    send: (message) => {
      writing(message);
      return inner.send(message);
    },
    close: () => inner.close(),
  };
  return outer;
}
