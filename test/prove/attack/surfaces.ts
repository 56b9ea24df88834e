/**
 * One way to call operations for each surface, as its users call it: the compiled program, plain HTTP requests, the official
 * MCP client, the SDK. Each answers with fields in camelCase, and never throws: a refusal is told apart from an outcome that
 * is not known.
 */
import type { Fields, Outcome, Surface } from "../check/history.ts";
import { cliSurface } from "./cli-surface.ts";
import { mcpSurface } from "./mcp-surface.ts";
import { restSurface } from "./rest-surface.ts";
import { sdkSurface } from "./sdk-surface.ts";

export interface Told {
  outcome: Outcome;
  value?: Fields;
  code?: string;
}

export interface Client {
  call(op: string, input: Fields, key?: string): Promise<Told>;
  /** Whether it takes idempotency keys, lease tokens and acks by hand, which models do not have. */
  full: boolean;
  close(): Promise<void>;
}

/** Where the bus is. Hubs are reached through lines that can be broken; each call may go to another one. */
export interface Place {
  /** A file, or the address of a server. */
  db: string;
  delivery?: string;
  hubs: readonly string[];
  /** The file of profiles, for those who push tasks. */
  profiles: string;
}

export interface ClientOptions {
  place: Place;
  random: () => number;
  /** Called with a way to kill the process that makes a call. */
  started?(kill: () => void): void;
}

export function clientOf(surface: Surface, options: ClientOptions): Client {
  switch (surface) {
    case "cli":
    case "cli-hub":
      return cliSurface(options, surface === "cli-hub");
    case "rest":
      return restSurface(options);
    case "mcp-stdio":
    case "mcp-http":
      return mcpSurface(options, surface === "mcp-http");
    case "sdk":
    case "sdk-hub":
      return sdkSurface(options, surface === "sdk-hub");
  }
}
