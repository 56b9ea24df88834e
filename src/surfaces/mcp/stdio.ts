/** `inbox mcp`: the server on standard input and output, until its client goes away. */
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import type { ToolSet } from "../../contract/operation.ts";
import type { Caller } from "../../identity.ts";
import type { Inbox } from "../../inbox.ts";
import { makeServer } from "./server.ts";
import { openSettling } from "./settle.ts";

export async function runStdio(
  inbox: Inbox,
  who: { caller: Caller; agent?: string },
  sets: readonly ToolSet[] | undefined,
): Promise<void> {
  const settling = openSettling();
  const session = { inbox, ...who, settling };
  const transport = new StdioServerTransport();
  const handle = serveStdio((context) => makeServer(session, { sets }, context), { transport });
  await new Promise<void>((ended) => {
    process.stdin.once("close", ended);
    process.stdin.once("end", ended);
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => ended());
  });
  // Whoever closes its end has not read what was written last.
  await settling.close();
  await handle.close();
}
