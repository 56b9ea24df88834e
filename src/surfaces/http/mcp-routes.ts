/** MCP at the hub: /mcp, and /mcp/WORKSPACE for the agent of a workspace. */
import { InboxError } from "../../contract/errors.ts";
import type { Caller } from "../../identity.ts";
import type { EmbeddedInbox } from "../../inbox.ts";
import type { Mcp, Visitor } from "../mcp/http.ts";
import type { Handle, House, Routes } from "./route.ts";

// Loaded with the first request for it: it is large.
const loadMcp = () => require("../mcp/http.ts") as typeof import("../mcp/http.ts");

export function openMcpRoutes({ inbox, guard, stopping }: House): { routes: Routes; close(): Promise<void> } {
  let mcp: Mcp | undefined;
  const visit: Handle = async (request, server, caller) => {
    const choices = loadMcp().choicesIn(new URL(request.url));
    const { workspace } = request.params;
    const home = workspace === undefined ? {} : await visitorOf(inbox, caller, workspace);
    server.timeout(request, 0);
    mcp ??= loadMcp().openMcp(inbox, { admitWait: guard.wait, stopping });
    return mcp.fetch(request, { caller, ...choices, ...home });
  };
  const routes: Routes = {};
  for (const method of ["GET", "POST", "DELETE"])
    for (const place of ["/mcp", "/mcp/:workspace"])
      routes[`${method} ${place}`] = { counted: "mcp", handle: visit };
  return { routes, close: async () => mcp?.close() };
}

/** [U1] The address says whose workspace it is; a token must be its agent's. */
async function visitorOf(inbox: EmbeddedInbox, caller: Caller, id: string): Promise<Partial<Visitor>> {
  const { workspaceId, agent, path } = await inbox.workspace(id);
  if (caller.agent !== undefined && caller.agent !== agent && caller.scope !== "admin")
    throw new InboxError(
      "not_allowed",
      `this token speaks for "${caller.agent}", and the workspace is another agent's`,
    );
  // What it starts works where it works itself.
  return { workspace: workspaceId, agent, here: { cwd: path, env: {} } };
}
