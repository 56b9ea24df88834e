/** MCP at the hub: /mcp, and /mcp/WORKSPACE for the agent of a workspace. */
import { InboxError } from "../../contract/errors.ts";
import type { Caller } from "../../inbox/caller.ts";
import type { EmbeddedInbox } from "../../inbox/inbox.ts";
import type { Mcp, Visitor } from "../mcp/http.ts";
import { openQuota, type Quota } from "./held-limit.ts";
import type { Handle, RouteContext, Routes } from "./route.ts";
import { endingWith } from "./stays.ts";

// Loaded with the first request: it is large.
const loadMcp = () => require("../mcp/http.ts") as typeof import("../mcp/http.ts");

export function openMcpRoutes(
  { inbox, stays, stopping }: RouteContext,
  limit: Quota,
): { routes: Routes; close(): Promise<void> } {
  let mcp: Mcp | undefined;
  const sessions = openQuota("MCP sessions", limit);
  const visit: Handle = async (request, server, peer) => {
    const { address: _, token: __, ...caller } = peer;
    const choices = loadMcp().choicesIn(new URL(request.url));
    const { workspace } = request.params;
    const home = workspace === undefined ? {} : await visitorOf(inbox, caller, workspace);
    server.timeout(request, 0);
    mcp ??= loadMcp().openMcp(inbox, { stopping });
    const admit = { wait: () => stays.begin(peer).over, session: () => sessions.take(peer) };
    // A GET is a stream that its client keeps open; a POST may contain a call that waits, which is counted itself.
    const stay = request.method === "GET" ? stays.begin(peer) : stays.hold(peer);
    try {
      const signal = AbortSignal.any([request.signal, stay.revoked]);
      const asked = peer.token === undefined ? request : new Request(request, { signal });
      return endingWith(await mcp.fetch(asked, { caller, admit, ...choices, ...home }), stay);
    } catch (error) {
      stay.over();
      throw error;
    }
  };
  const routes: Routes = {};
  for (const method of ["GET", "POST", "DELETE"])
    for (const place of ["/mcp", "/mcp/:workspace"])
      routes[`${method} ${place}`] = { counted: "mcp", handle: visit };
  return { routes, close: async () => mcp?.close() };
}

/** [U1] The address names the workspace; a token must belong to its agent. */
async function visitorOf(inbox: EmbeddedInbox, caller: Caller, id: string): Promise<Partial<Visitor>> {
  const { workspaceId, agent, path } = await inbox.workspace(id);
  if (caller.agent !== undefined && caller.agent !== agent && caller.scope !== "admin")
    throw new InboxError(
      "not_allowed",
      `this token belongs to "${caller.agent}", and the workspace belongs to another agent`,
    );
  // Sub-agents that it starts work in its own folder.
  return { workspace: workspaceId, agent, here: { cwd: path, env: {} } };
}
