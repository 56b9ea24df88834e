/** `restante/client`: the bus of a hub, in Node, Bun, Deno and browsers. Nothing here needs more than web standards. */
import { InboxError } from "../contract/errors.ts";
import { connect } from "../surfaces/client/client.ts";
import { inPrograms } from "../surfaces/spelling/programs.ts";
import { type Namespaces, namespaces } from "./namespaces.ts";
import { requireLocation } from "./refusals.ts";

export { type ErrorCode, InboxError } from "../contract/errors.ts";
export type { CallOptions } from "./namespaces.ts";

export interface OpenOptions {
  /** What proves who is calling, where the hub wants it. */
  token?: string;
  /** Who is calling, where it is not said with each call. */
  agent?: string;
  /** Another way to fetch; the runtime's own unless told. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

export type Inbox = Namespaces;

export const Inbox = {
  async open(url: string, { token, agent, fetch }: OpenOptions = {}): Promise<Inbox> {
    requireLocation(url, 'Inbox.open("http://127.0.0.1:3456")');
    if (!/^https?:\/\//i.test(url))
      throw new InboxError("invalid_input", `${url} is not the address of a hub`, {
        hint: 'a database file is opened by the package "restante"; here, name a hub: http://127.0.0.1:3456',
      });
    // With a token the hub knows who is calling.
    return namespaces(connect(url, { token, fetch }), {
      agent,
      channelAgent: token === undefined ? (agent ?? "api") : agent,
      spelling: inPrograms({ opensFiles: false }),
    });
  },
};
