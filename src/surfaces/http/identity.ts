/** Who sent a request: the agent of its token, or unknown. */
import { InboxError } from "../../contract/errors.ts";
import { requireOwner } from "../../inbox/caller.ts";
import type { EmbeddedInbox } from "../../inbox/inbox.ts";
import type { Peer } from "./route.ts";

/** A promise only if there is a token to look for. */
export function peerOf(
  request: Request,
  address: string,
  { inbox, required }: { inbox: EmbeddedInbox; required: boolean },
): Peer | Promise<Peer> {
  const header = request.headers.get("authorization");
  if (header !== null) return ownerOf(/^Bearer +(\S+)$/i.exec(header)?.[1] ?? "", address, inbox);
  if (required) throw new InboxError("unauthenticated", "this hub requires a token");
  return { address };
}

const ownerOf = async (token: string, address: string, inbox: EmbeddedInbox): Promise<Peer> => ({
  ...(await requireOwner(inbox, token)),
  token,
  address,
});
