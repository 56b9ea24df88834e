/**
 * [N5] [U6] The command that reopens an agent's session: `setup` knows it for each program, and stores it in the
 * workspace of the folder.
 */
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import { noSession, type Workspace } from "../../contract/workspace.ts";
import type { Inbox } from "../../inbox/inbox.ts";
import { type Asked, locate, mayExist } from "../../location/locate.ts";
import { fs } from "../../platform/system.ts";
import { clients } from "../../setup/clients.ts";
import { safe } from "../text/safe.ts";
import { openInboxAt } from "./open-inbox.ts";
import { agrees } from "./question.ts";

type Input = ParsedOf<"bus.setup">;
type Session = OutputOf<"bus.setup">["session"];

/** `mayAsk`: there is a terminal. If the bus cannot be read, nothing is offered: setup is about the client. */
export async function offerSession(asked: Asked, input: Input, mayAsk: boolean): Promise<Session> {
  if (input.remove || input.scope === "user" || input.session === noSession) return null;
  let inbox: Inbox | undefined;
  try {
    const location = input.url === undefined ? locate(asked) : new URL(input.url).origin;
    if (input.url === undefined && !mayExist(location)) return null;
    inbox = await openInboxAt(location, { token: asked.env.INBOX_TOKEN || undefined });
    const { workspaces } = await inbox.call("workspaces.list", {});
    const workspace = workspaces.findLast((each) => isMeant(each, asked, input));
    if (!workspace) return null;
    const command = input.session ?? workspace.session ?? clients[input.client].session;
    const { workspaceId } = workspace;
    if (command === workspace.session) return { workspaceId, command, written: false };
    const wanted =
      input.yes || (mayAsk && agrees(`Offer "${safe(command)}" as the command that reopens its session?`));
    if (wanted) await inbox.call("workspaces.edit", { workspace: workspaceId, session: command });
    return { workspaceId, command, written: wanted };
  } catch {
    return null;
  } finally {
    await inbox?.close();
  }
}

/** The workspace whose address was given, else the one of this folder. */
function isMeant({ workspaceId, path }: Workspace, { cwd }: Asked, { url }: Input): boolean {
  const named = url === undefined ? undefined : /\/mcp\/([^/?#]+)/.exec(url)?.[1];
  return named === undefined ? path === fs().realpathSync(cwd) : workspaceId === named;
}
