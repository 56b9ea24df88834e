/** Who sent a request: the agent of its token, or unknown. */
import { InboxError } from "../../contract/errors.ts";
import { type Caller, requireOwner } from "../../inbox/caller.ts";
import type { EmbeddedInbox } from "../../inbox/inbox.ts";

export async function callerOf(
  request: Request,
  inbox: EmbeddedInbox,
  required: boolean,
): Promise<Caller & { token?: string }> {
  const header = request.headers.get("authorization");
  if (header !== null) {
    const token = /^Bearer +(\S+)$/i.exec(header)?.[1] ?? "";
    return { ...(await requireOwner(inbox, token)), token };
  }
  if (required) throw new InboxError("unauthenticated", "this hub requires a token");
  return {};
}
