/** The hub's HTTP side, put together: the routes of the operation table, and the few that are its own. */
import type { EmbeddedInbox } from "../../inbox/inbox.ts";
import type { Log } from "../../service/hub-log.ts";
import { notFound, refusal, wrongMethod } from "./answer.ts";
import { documentRoutes } from "./document-routes.ts";
import { isLoopback, type Limits, makeGuard } from "./guard.ts";
import { peerOf } from "./identity.ts";
import { openMcpRoutes } from "./mcp-routes.ts";
import { measured } from "./measured.ts";
import { type Metrics, openMetrics } from "./metrics.ts";
import { operationRoutes } from "./operation-routes.ts";
import { eventRoutes, handOverRoutes, pageRoutes, seedRoutes, stateRoutes } from "./own-routes.ts";
import type { RoutedRequest } from "./request.ts";
import type { Peer, Route, RouteContext, Routes, Server } from "./route.ts";
import { openStays } from "./stays.ts";

export interface ServerOptions {
  port: number;
  hostname: string;
  /** Additional host names of this hub. */
  hosts: readonly string[];
  /** Whether every request needs a token. */
  auth: boolean;
  limits: Limits;
  /** Describes this process to a caller that asks who holds the port, if anybody may ask. */
  about?: Record<string, unknown>;
  /** Whether anybody may add entries to the person's inbox. */
  dev?: boolean;
  /** [O5] Called for every request that was answered. */
  log?: Log;
}

/** Requested regularly, by machines. */
const unlogged = new Set(["healthz", "readyz", "metrics", "page"]);
const graceMs = 2000;
const policyHeader = "content-security-policy";

type Answer = (request: RoutedRequest, server: Server) => Promise<Response>;

export function startServer(inbox: EmbeddedInbox, options: ServerOptions) {
  const metrics = openMetrics();
  const stopping = new AbortController();
  const context: RouteContext = {
    inbox: measured(inbox, metrics),
    stays: openStays(inbox, options.limits.waits, stopping.signal),
    stopping: stopping.signal,
  };
  const mcp = openMcpRoutes(context, options.limits.sessions);
  const settling = new Set<Promise<void>>();
  const track = (settled: Promise<void>) => {
    settling.add(settled);
    void settled.then(() => settling.delete(settled));
  };

  const answer = answering(inbox, options, metrics);
  const routes: Routes = {
    ...operationRoutes(context, track),
    ...eventRoutes(context),
    ...documentRoutes(context, options.limits.watchedEntries),
    ...seedRoutes(context, options.dev === true),
    ...mcp.routes,
    ...handOverRoutes(context),
    ...stateRoutes(context, metrics, options.about),
    ...pageRoutes,
  };
  const nowhere = answer({ counted: "none", open: true, handle: async (request) => notFound(request) });

  const server = Bun.serve({
    port: options.port,
    hostname: options.hostname,
    // Longer than the slowest engine takes to report that it is unavailable.
    idleTimeout: 60,
    // Our own limit is lower, and its error is our own (request.ts).
    maxRequestBodySize: 64 * 1024 * 1024,
    routes: byPath(routes, answer) as never,
    fetch: (request, server) => nowhere(request as RoutedRequest, server),
    error: (error) => refusal(error),
  });

  return {
    url: `http://${options.hostname.includes(":") ? `[${options.hostname}]` : options.hostname}:${server.port}`,
    /** Answers open waits, completes writes in progress, then stops listening. */
    async stop(): Promise<void> {
      stopping.abort();
      // A client that neither reads nor disconnects does not delay the others.
      const patience = setTimeout(() => void server.stop(true), graceMs);
      await server.stop(false);
      clearTimeout(patience);
      await new Promise((done) => setImmediate(done));
      await Promise.all(settling);
      await mcp.close();
    },
  };
}

/** Everything that all routes have in common: admission, identity, errors, counting, logging. */
function answering(inbox: EmbeddedInbox, options: ServerOptions, metrics: Metrics): (route: Route) => Answer {
  const guard = makeGuard(options.limits.rate, options.hostname, options.hosts);
  const identifying = { inbox, required: options.auth };
  const addressOf = addressing(options.hostname);
  return ({ counted, handle, explains, ...admission }) =>
    async (request, server) => {
      const started = performance.now();
      let response: Response;
      let agent: string | undefined;
      try {
        const address = addressOf(request, server);
        guard.admit(request, address, admission);
        const found = admission.open ? { address } : peerOf(request, address, identifying);
        const peer: Peer = found instanceof Promise ? await found : found;
        agent = peer.agent;
        response = await handle(request, server, peer);
      } catch (error) {
        response = refusal(explains ? explains(error, request) : error, request);
      }
      // An answer that is not one of our pages must not be shown in a frame either.
      if (!response.headers.has(policyHeader)) response.headers.set(policyHeader, "frame-ancestors 'none'");
      const ms = performance.now() - started;
      metrics.count(counted, response.status, ms);
      logAnswer(options.log, { operation: counted, status: response.status, ms, agent });
      return response;
    };
}

/**
 * The address that a request came from. Where only this machine can reach the hub, all of its addresses (127.0.0.0/8) are
 * one: asking for it would take a system call, and a seventh of the time of an empty request.
 */
const addressing = (hostname: string) =>
  isLoopback(hostname)
    ? () => hostname
    : (request: Request, server: Server) => server.requestIP(request)?.address ?? "";

/** [O5] One line per request. Paths are not logged: they contain what callers write. */
function logAnswer(
  log: Log | undefined,
  { operation, status, ms, agent }: { operation: string; status: number; ms: number; agent?: string },
): void {
  if (!log || (unlogged.has(operation) && status < 400)) return;
  const level = status >= 500 ? "error" : status >= 400 ? "warn" : "info";
  log(level, "request", { operation, status, ms: Math.round(ms * 10) / 10, agent });
}

/** As the runtime needs them: every method of a path, including those that are not supported. */
function byPath(routes: Routes, answer: (route: Route) => Answer): Record<string, Record<string, Answer>> {
  const paths: Record<string, Record<string, Answer>> = {};
  for (const [key, route] of Object.entries(routes)) {
    const [method, path] = key.split(" ") as [string, string];
    paths[path] = { ...paths[path], [method]: answer(route) };
  }
  for (const handlers of Object.values(paths)) {
    const allowed = Object.keys(handlers);
    for (const method of ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
      handlers[method] ??= answer({
        counted: "none",
        open: true,
        handle: async () => wrongMethod(method, allowed),
      });
  }
  return paths;
}
