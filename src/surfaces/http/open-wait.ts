/**
 * A call that waits for its answer, and what ends it early: its client, its token, the hub. One object, which is also the signal that
 * the wait itself looks at, because a hub holds thousands: an `AbortController` with its signal, a listener at each signal that could end
 * the call and the functions for all of that took 2.5 KiB of each.
 */
import type { InboxError } from "../../contract/errors.ts";
import { type EndSignal, endOfWait } from "../../inbox/inbox.ts";
import type { Peer } from "./route.ts";

type Listener = Parameters<EndSignal["addEventListener"]>[1];

export class OpenWait implements EndSignal {
  aborted = false;
  reason: unknown;
  /** Why its answer is not given, whatever it is. */
  revoked: InboxError | undefined;
  #listeners: readonly Listener[] = none;

  constructor(
    readonly request: Request,
    readonly peer: Peer,
    private readonly leave: (wait: OpenWait) => void,
    /** One of those whose number is limited. */
    readonly counts: boolean,
  ) {
    request.signal.addEventListener("abort", this);
    if (request.signal.aborted) this.handleEvent();
  }

  addEventListener(_: "abort", listener: Listener): void {
    this.#listeners = [...this.#listeners, listener];
  }

  removeEventListener(_: "abort", listener: Listener): void {
    this.#listeners = this.#listeners.filter((one) => one !== listener);
  }

  /** The client went away. */
  handleEvent(): void {
    this.#end(new DOMException("the client went away", "AbortError"));
  }

  /** Its token was revoked. */
  abort(reason: InboxError): void {
    this.revoked = reason;
    this.#end(reason);
  }

  /** The hub stops: it is answered as if its time were over. */
  answer(): void {
    this.#end(endOfWait);
  }

  over(): void {
    this.request.signal.removeEventListener("abort", this);
    this.leave(this);
  }

  #end(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    for (const listener of this.#listeners) listener.handleEvent();
  }
}

const none: readonly Listener[] = [];
