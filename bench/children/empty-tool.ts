/** The floor under a tool call: a server of the same SDK with one tool that does nothing, over HTTP, or with `stdio` over that. */
import { createMcpHandler, Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

function empty(): Server {
  const server = new Server({ name: "empty", version: "1" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", async () => ({
    tools: [{ name: "nothing", inputSchema: { type: "object" as const } }],
  }));
  server.setRequestHandler("tools/call", async () => ({ content: [{ type: "text" as const, text: "" }] }));
  return server;
}

if (process.argv[2] === "stdio") serveStdio(empty);
else {
  const handler = createMcpHandler(empty);
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch: (request) => handler.fetch(request),
  });
  process.send!(`http://127.0.0.1:${server.port}`);
}
