/**
 * `inbox mcp`: finds the bus and connects standard input and output to the MCP server, which is loaded only here
 * because it is large.
 */

import { runLocal } from "../../admin/operations.ts";
import { InboxError } from "../../contract/errors.ts";
import { parseInput } from "../../contract/operation.ts";
import { busMcp } from "../../contract/operations/bus-mcp.ts";
import { agentIn } from "../../contract/terminal-id.ts";
import { type Caller, requireOwner } from "../../inbox/caller.ts";
import { type EmbeddedInbox, type Inbox, openInbox } from "../../inbox/inbox.ts";
import { type Asked, isHub, locateOrNew, mayExist } from "../../location/locate.ts";
import { connect } from "../client/client.ts";
import { safe } from "../text/safe.ts";
import type { CommandInput } from "./input.ts";
import { complain, exitBrokenPipe, hasOutput } from "./output.ts";
import type { Globals } from "./scan.ts";

export async function runMcp(
  asked: Asked,
  delivery: string | undefined,
  globals: Globals,
  { input }: CommandInput,
): Promise<number> {
  const { tools } = parseInput(busMcp, input);
  if (!(await hasOutput())) {
    complain("error standard output is closed: an MCP client reads the answers from it\n");
    return exitBrokenPipe;
  }
  const location = locateOrNew(asked);
  const token = globals.token ?? (asked.env.INBOX_TOKEN || undefined);
  const agent = globals.agent ?? agentIn(asked.env);
  const { meetClient, serveClient } = require("../mcp/stdio.ts") as typeof import("../mcp/stdio.ts");
  const client = await meetClient();
  // A hub looks at the token by itself, with every call.
  if (isHub(location)) {
    const inbox = connect(location, { token, byModel: true }) as never;
    await serveClient(client, { inbox, who: { caller: {}, agent }, sets: tools });
    return 0;
  }
  const open = () => openInbox(location, { delivery });
  const found = await Promise.race([serving(asked, location, token, open), client.ended]);
  // The client has gone while the database was still being asked about the token.
  if (!found) return 0;
  const { inbox, caller } = found;
  try {
    await serveClient(client, { inbox, who: { caller, agent }, sets: tools });
  } finally {
    await inbox.close();
  }
  return 0;
}

interface Serving {
  inbox: Inbox;
  caller: Caller;
}

/**
 * [C5] A client shows a server that exits at once as "failed", without the reason. So the server starts whatever is
 * wrong, and the answer to every call gives the reason: a model can tell it to the person.
 */
async function serving(
  asked: Asked,
  location: string,
  token: string | undefined,
  open: () => EmbeddedInbox,
): Promise<Serving> {
  if (!mayExist(location))
    return { inbox: madeAtFirstUse(() => make(asked, location, token), open), caller: {} };
  const inbox = open();
  if (token === undefined) return { inbox, caller: {} };
  try {
    return { inbox, caller: await requireOwner(inbox, token) };
  } catch (error) {
    await inbox.close();
    return { inbox: madeAtFirstUse(() => Promise.reject(error), open), caller: {} };
  }
}

async function make(asked: Asked, location: string, token: string | undefined): Promise<void> {
  if (mayExist(location)) return;
  if (token !== undefined)
    throw new InboxError("unauthenticated", `there is no bus at ${location} to check the token against`);
  // Every folder below would find it: it would be the bus of all projects, although nobody chose that.
  if (asked.db === undefined && !asked.env.INBOX_DB && [asked.env.HOME, "/"].includes(asked.cwd))
    throw new InboxError(
      "not_initialized",
      `there is no bus for ${asked.cwd}, and none is created there automatically`,
    );
  await runLocal("bus.init", asked, {});
  complain(`created ${safe(location)}\n`);
}

/** A bus that is created, or waited for, when the first tool is called; listing tools creates none. */
function madeAtFirstUse(make: () => Promise<void>, open: () => EmbeddedInbox): Inbox {
  let inbox: Inbox | undefined;
  const made = async (): Promise<Inbox> => {
    if (!inbox) await make();
    inbox ??= open();
    return inbox;
  };
  const nothingYet = () =>
    new InboxError("not_initialized", "there is no bus here yet; the first tool call creates it");
  return {
    hand: async (name, input, options) => (await made()).hand(name, input, options),
    async call(name, input, options) {
      if (!inbox) throw nothingYet();
      return inbox.call(name, input, options);
    },
    async *follow(input, options) {
      if (!inbox) throw nothingYet();
      yield* inbox.follow(input, options);
    },
    close: async () => inbox?.close(),
  };
}
