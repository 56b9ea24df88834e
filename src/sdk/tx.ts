/** `restante/tx`: for programs of the channel protocol, the client that its document has, with that document's calls. */

import { connect } from "../surfaces/client/client.ts";
import { inPrograms } from "../surfaces/spelling/programs.ts";
import { type Namespaces, namespaces } from "./namespaces.ts";

export interface TxOptions {
  /** The hub: `http://localhost:3456`. */
  apiUrl: string;
  /** What proves who is calling, where the hub wants it. */
  apiKey?: string;
}

export class TxClient {
  readonly messages: Namespaces["messages"];

  constructor({ apiUrl, apiKey }: TxOptions) {
    const bus = connect(apiUrl, { token: apiKey });
    // Without a token it is nobody in particular, as in that document.
    this.messages = namespaces(bus, {
      channelAgent: apiKey === undefined ? "api" : undefined,
      spelling: inPrograms({ opensFiles: false }),
    }).messages;
  }
}
