/** The parts of the hub's HTTP side, and what each of them is given. */
import type { Caller } from "../../inbox/caller.ts";
import type { EmbeddedInbox } from "../../inbox/inbox.ts";
import type { Visit } from "./browsers.ts";
import type { RoutedRequest } from "./request.ts";
import type { Stays } from "./stays.ts";

export type Server = Bun.Server<undefined>;

/** Who sent a request: the agent of its token, if it has one, and its address. */
export interface Peer extends Caller {
  token?: string;
  address: string;
}

export type Handle = (request: RoutedRequest, server: Server, peer: Peer) => Promise<Response>;

export interface Route {
  /** The operation that /metrics counts it as. */
  counted: string;
  handle: Handle;
  /** Answered without a token, even if the hub requires one; nothing is changed there. */
  open?: true;
  visit?: Visit;
  /** An error as its caller is told it. */
  explains?: (error: unknown, request: Request) => unknown;
}

/** By method and path: `GET /api/events`. */
export type Routes = Record<string, Route>;

/** What every route can use. */
export interface RouteContext {
  inbox: EmbeddedInbox;
  stays: Stays;
  /** Aborted when the hub stops: open waits are answered. */
  stopping: AbortSignal;
}
