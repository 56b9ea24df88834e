/** `restante`: the bus in a program, embedded in a file or at a hub, behind one interface. */

import { createOwnBus } from "../admin/create-bus.ts";
import { openInbox } from "../inbox/inbox.ts";
import { brokerOf, isHub } from "../location/locate.ts";
import { type OpenOptions, Inbox as Remote } from "./client.ts";
import { type Namespaces, namespaces } from "./namespaces.ts";

export { type ErrorCode, InboxError } from "../contract/errors.ts";
export type { CallOptions } from "./namespaces.ts";

export interface EmbeddedOptions extends OpenOptions {
  /** A broker that carries mail (default: INBOX_DELIVERY; none: the database does). */
  delivery?: string;
  /** Make the database where there is none. */
  create?: boolean;
}

export type Inbox = Namespaces;

export const Inbox = {
  /** A file is opened here; an address is asked over HTTP. */
  async open(location: string, options: EmbeddedOptions = {}): Promise<Inbox> {
    if (isHub(location)) return Remote.open(location, options);
    if (options.create) await createOwnBus(location);
    const delivery = brokerOf(process.env, options.delivery);
    return namespaces(openInbox(location, { delivery }), {
      agent: options.agent,
      channelAgent: options.agent ?? "api",
    });
  },
};
