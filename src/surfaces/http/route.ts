/** What a part of the hub's HTTP side is made of, and what every part is given. */
import type { Caller } from "../../identity.ts";
import type { EmbeddedInbox } from "../../inbox.ts";
import type { Guard, Visit } from "./guard.ts";
import type { RoutedRequest } from "./request.ts";

export type Server = Bun.Server<undefined>;

export type Handle = (request: RoutedRequest, server: Server, caller: Caller) => Promise<Response>;

export interface Route {
  /** The operation that /metrics counts it as. */
  counted: string;
  handle: Handle;
  /** Answered without a token, also where the hub wants one. */
  open?: true;
  visit?: Visit;
}

/** By method and path: `GET /api/events`. */
export type Routes = Record<string, Route>;

export interface House {
  inbox: EmbeddedInbox;
  guard: Guard;
  /** Aborted when the hub stops: whoever waits gets an answer. */
  stopping: AbortSignal;
}
