/** Opens a database file or a hub; the caller cannot tell which. */
import { withoutPassword } from "../../contract/secret.ts";
import { actingAs, requireOwner } from "../../inbox/caller.ts";
import { type Inbox, openInbox } from "../../inbox/inbox.ts";
import { isHub } from "../../location/locate.ts";
import { isAgentShell } from "../../platform/agent-shell.ts";
import { connect } from "../client/client.ts" with { load: "when-called" };
import { safe } from "../text/safe.ts";
import { complain, warn } from "./output.ts";
import type { Globals } from "./scan.ts";

export const tokenOf = ({ token }: Globals): string | undefined =>
  token ?? (process.env.INBOX_TOKEN || undefined);

export async function openInboxAt(
  location: string,
  { delivery, token, alone }: { delivery?: string; token: string | undefined; alone?: boolean },
): Promise<Inbox> {
  const byModel = isAgentShell(process.env);
  if (isHub(location)) {
    const onAway = () =>
      complain(`the hub at ${safe(withoutPassword(location))} does not answer; waiting for it\n`);
    return connect(location, { token, byModel, onAway }) as Inbox;
  }
  const inbox = openInbox(location, {
    delivery,
    brief: true,
    alone: alone && delivery === undefined,
    journal: { complain: warn },
    complain: warn,
  });
  if (token !== undefined) return actingAs(inbox, await requireOwner(inbox, token));
  return byModel ? actingAs(inbox, { byModel }) : inbox;
}
