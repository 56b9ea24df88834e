/** The protocol's library between standard input and output. It is large, and loaded once a client has its first answer (stdio.ts). */
import type { JSONRPCMessage, McpRequestContext, Server, Transport } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { openChanges } from "./changes.ts";
import { makeServer } from "./server.ts";
import { openSettling } from "./settle.ts";
import type { Client, Served } from "./stdio.ts";

/** Returns how it is ended, and when it has ended by itself: the library reads no more after a line that is too long. */
export function serve({ input, output, greeting }: Client, { inbox, who, sets }: Served) {
  const settling = openSettling();
  const changes = openChanges(inbox);
  const here = { cwd: process.cwd(), env: process.env };
  const session = { inbox, ...who, here, settling, changes };
  let server: Server | undefined;
  let told = false;
  const over = Promise.withResolvers<void>();
  // The newest revision sorts out by itself who wants to hear what, and asks nobody: somebody must have begun to look.
  const transport = observed(new StdioServerTransport(input, output.stream), {
    async listening() {
      const subscribed = await changes.ready().catch(() => {});
      if (!told) changes.subscribe((uri) => void server?.sendResourceUpdated({ uri }).catch(() => {}));
      told = true;
      subscribed?.();
    },
    writing: output.writing,
    closed: over.resolve,
    greeted: greeting?.id,
  });
  const make = (context: McpRequestContext) => {
    server = makeServer(session, { sets }, context);
    return server;
  };
  const handle = serveStdio(make, { transport });
  const close = async () => {
    // What the client has read by now it has; what is still in the pipe nobody has seen.
    const wasRead = output.reader();
    changes.close();
    await settling.close(wasRead);
    await handle.close();
  };
  return { over: over.promise, close };
}

interface Observer {
  /** Done before anybody hears that a client would like to listen. */
  listening(): Promise<void>;
  writing(message: JSONRPCMessage): void;
  closed(): void;
  /** The request that has its answer: the library's own is left out, also if it is a refusal. */
  greeted: string | number | undefined;
}

/** The same transport, with a callback for every message that passes through it. */
function observed(inner: StdioServerTransport, { listening, writing, closed, greeted }: Observer): Transport {
  const listens = (message: JSONRPCMessage) =>
    "method" in message && message.method === "subscriptions/listen";
  let unanswered = greeted;
  const outer: Transport = {
    async start() {
      inner.onmessage = async (message) => {
        if (listens(message)) await listening();
        outer.onmessage?.(message);
      };
      inner.onclose = () => {
        closed();
        outer.onclose?.();
      };
      inner.onerror = (error) => outer.onerror?.(error);
      await inner.start();
    },
    async send(message) {
      if (unanswered !== undefined && !("method" in message) && message.id === unanswered) {
        unanswered = undefined;
        return;
      }
      writing(message);
      await inner.send(message);
    },
    close: () => inner.close(),
  };
  return outer;
}
