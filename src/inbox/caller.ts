/** [X2] Who is calling: the agent of a token. What that caller may do is decided in access.ts, for every surface. */

import { InboxError } from "../contract/errors.ts";
import type { Caller } from "./access.ts";
import type { CallOptions, EmbeddedInbox, Inbox } from "./inbox.ts";

export type { Caller } from "./access.ts";
export { actAs, mayUse } from "./access.ts";

export async function requireOwner(inbox: EmbeddedInbox, token: string): Promise<Caller> {
  const owner = await inbox.owner(token);
  if (!owner) throw new InboxError("unauthenticated", "the token is unknown or was revoked");
  return owner;
}

/** The same inbox, in which every call is this caller's. */
export const actingAs = (inbox: EmbeddedInbox, caller: Caller): Inbox => ({
  call: (name, input, options) => inbox.call(name, input, as(options, caller)),
  hand: (name, input, options) => inbox.hand(name, input, as(options, caller)),
  follow: (input, options) => inbox.follow(input, as(options, caller)),
  close: () => inbox.close(),
});

/** The caller itself says through which surface it calls. */
const as = (options: CallOptions | undefined, caller: Caller): CallOptions => ({
  ...options,
  caller: { ...options?.caller, ...caller },
});
