/** `inbox mcp`: opens the bus and hands standard input and output to the server. It is loaded only here: it is large. */
import { parseInput } from "../../contract/operation.ts";
import { mcp } from "../../contract/operations/bus-mcp.ts";
import { agentIn } from "../../contract/terminal-id.ts";
import { requireOwner } from "../../identity.ts";
import { openInbox } from "../../inbox.ts";
import { type Asked, isHub, locate } from "../../location.ts";
import { connect } from "../client/client.ts";
import type { CommandInput } from "./input.ts";
import type { Globals } from "./scan.ts";

export async function runMcp(
  asked: Asked,
  delivery: string | undefined,
  globals: Globals,
  { input, label }: CommandInput,
): Promise<number> {
  const { tools } = parseInput(mcp, input, label);
  const location = locate(asked);
  const token = globals.token ?? (asked.env.INBOX_TOKEN || undefined);
  const agent = globals.agent ?? agentIn(asked.env);
  const { runStdio } = require("../mcp/stdio.ts") as typeof import("../mcp/stdio.ts");
  // A hub looks at the token by itself, with every call.
  if (isHub(location)) {
    await runStdio(connect(location, { token }) as never, { caller: {}, agent }, tools);
    return 0;
  }
  const inbox = openInbox(location, { delivery });
  try {
    const caller = token === undefined ? {} : await requireOwner(inbox, token);
    await runStdio(inbox, { caller, agent }, tools);
  } finally {
    await inbox.close();
  }
  return 0;
}
