/** `restante`: the bus in a program, embedded in a file or at a hub, behind one interface. */

import { createOwnBus } from "../admin/create-bus.ts";
import { openInbox } from "../inbox/inbox.ts";
import { brokerOf, isHub } from "../location/locate.ts";
import { inPrograms } from "../surfaces/spelling/programs.ts";
import { type OpenOptions, Inbox as Remote } from "./client.ts";
import { type Namespaces, namespaces } from "./namespaces.ts";
import { asCalled, requireLocation } from "./refusals.ts";

export { type ErrorCode, InboxError } from "../contract/errors.ts";
export type { CallOptions } from "./namespaces.ts";

export interface EmbeddedOptions extends OpenOptions {
  /** A broker that carries mail (default: INBOX_DELIVERY; none: the database does). */
  delivery?: string;
  /** Make the database where there is none. */
  create?: boolean;
}

export type Inbox = Namespaces;

const spelling = inPrograms({ opensFiles: true });

export const Inbox = {
  /** A file is opened here; an address is asked over HTTP. */
  async open(location: string, options: EmbeddedOptions = {}): Promise<Inbox> {
    requireLocation(location, 'Inbox.open("PATH", { create: true }), or Inbox.open("http://127.0.0.1:3456")');
    if (isHub(location)) return Remote.open(location, options);
    try {
      if (options.create) await createOwnBus(location);
      const delivery = brokerOf(process.env, options.delivery);
      return namespaces(openInbox(location, { delivery }), {
        agent: options.agent,
        channelAgent: options.agent ?? "api",
        spelling,
      });
    } catch (error) {
      throw asCalled(error, spelling);
    }
  },
};
