/** The hub's HTTP side: every route is derived from the operation table, plus the few that are truly its own. */

import { asInboxError, InboxError } from "../../contract/errors.ts";
import type { AnyOperation } from "../../contract/operation.ts";
import { operationNamed, table } from "../../contract/operations/index.ts";
import { limitWait } from "../../contract/waiting.ts";
import { actAs, type Caller } from "../../identity.ts";
import type { BusOperation, EmbeddedInbox } from "../../inbox.ts";
import { version } from "../../version.ts";
import { endOfWait } from "../../waiting/wait.ts";
import type { Mcp, Visitor } from "../mcp/http.ts";
import { collecting, notFound, plain, refusal } from "./answer.ts";
import { openDocumentStreams } from "./document-stream.ts";
import { document, mayRead, picture } from "./documents.ts";
import { eventStream } from "./events.ts";
import { type Limits, makeGuard, type Visit } from "./guard.ts";
import { handOverOf, receiptIn, withReceipt } from "./hand-overs.ts";
import { callerOf } from "./identity.ts";
import { openMetrics } from "./metrics.ts";
import { asset, assetPaths, diagramFrame, diagramPath, inboxPage, pagePaths } from "./page-files.ts";
import { openApi, page } from "./pages.ts";
import { inputOf, jsonBody, type RoutedRequest, sayingFields } from "./request.ts";
import { seed } from "./seed.ts";
import { type Translation, terminalRoutes } from "./terminals.ts";

export interface ServerOptions {
  port: number;
  hostname: string;
  /** Further names this hub is called by. */
  hosts: readonly string[];
  /** Whether every request needs a token. */
  auth: boolean;
  limits: Limits;
  /** Told to whoever asks who holds the port. */
  about: Record<string, unknown>;
  /** Whether entries may be put into the person's inbox by anybody. */
  dev?: boolean;
}

const graceMs = 2000;

// Loaded with the first request for it: it is large.
const loadMcp = () => require("../mcp/http.ts") as typeof import("../mcp/http.ts");

type Handle = (request: RoutedRequest, server: Bun.Server<undefined>) => Promise<Response>;

export function startServer(inbox: EmbeddedInbox, options: ServerOptions) {
  const guard = makeGuard(options.limits, [options.hostname, ...options.hosts]);
  const metrics = openMetrics();
  const documentStream = openDocumentStreams(options.limits.watchedEntries);
  const stopping = new AbortController();
  let mcp: Mcp | undefined;
  const settling = new Set<Promise<void>>();
  const track = (settled: Promise<void>) => {
    settling.add(settled);
    void settled.then(() => settling.delete(settled));
  };

  /** Everything every route has in common: admission, errors, counting. */
  const wrapped =
    (name: string, handle: Handle, visit?: Visit): Handle =>
    async (request, server) => {
      const started = performance.now();
      let response: Response;
      try {
        guard.admit(request, server.requestIP(request)?.address ?? "", visit);
        response = await handle(request, server);
      } catch (error) {
        response = refusal(error);
      }
      metrics.count(name, response.status, performance.now() - started);
      return response;
    };

  const operation = (op: AnyOperation, translation?: Translation): Handle => {
    const serve: Handle = async (request, server) => {
      const caller = await callerOf(request, inbox, options.auth);
      const { idempotencyKey: inBody, ...raw } = await inputOf(op, request);
      const idempotencyKey =
        (inBody as string | undefined) ?? request.headers.get("idempotency-key") ?? undefined;
      const input = translation ? translation.input(raw) : raw;
      for (const key of Object.keys(input)) if (input[key] === undefined) delete input[key];
      if (request.method === "GET" && (input.commit === true || input.markRead === true))
        throw new InboxError("invalid_input", "a GET changes nothing", {
          hint: `use ${(op.http as readonly string[])[0]}`,
        });
      actAs(caller, op, input);
      // [M1] A channel message of somebody who said nothing about itself.
      if (op.cli.shape === "channel" && op.cli.identity !== undefined) input[op.cli.identity] ??= "api";
      const waits = op.kind === "wait";
      const handOver = translation ? undefined : handOverOf(request);
      const call = (signal?: AbortSignal) =>
        inbox.hand(op.name as BusOperation, input as never, {
          signal,
          idempotencyKey,
          handOver,
          verified: caller.agent !== undefined,
        });
      const handed = waits ? await waitFor(op, request, server, input, call) : await call();
      const value: unknown = translation ? translation.output(handed.value as never) : handed.value;
      if (!handed.confirm) return plain(value, op.creates ? 201 : 200);
      if (request.signal.aborted) {
        await handed.giveBack?.();
        return plain(value);
      }
      if (handOver !== undefined) return withReceipt(request, handed);
      return collecting(request, handed, value, track);
    };
    return wrapped(op.name, async (request, server) => {
      try {
        return await serve(request, server);
      } catch (error) {
        throw translation ? error : sayingFields(op, error);
      }
    });
  };

  async function waitFor<T>(
    op: AnyOperation,
    request: Request,
    server: Bun.Server<undefined>,
    input: Record<string, unknown>,
    call: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    limitWait(op, input);
    server.timeout(request, 0);
    const ending = new AbortController();
    const gone = () => ending.abort(new DOMException("the client went away", "AbortError"));
    const stop = () => ending.abort(endOfWait);
    request.signal.addEventListener("abort", gone);
    stopping.signal.addEventListener("abort", stop);
    if (stopping.signal.aborted) stop();
    if (request.signal.aborted) gone();
    const over = guard.wait(input.agent as string | undefined);
    try {
      return await call(ending.signal);
    } finally {
      over();
      request.signal.removeEventListener("abort", gone);
      stopping.signal.removeEventListener("abort", stop);
    }
  }

  const routes: Record<string, Record<string, Handle>> = {};
  const add = (route: string, handle: Handle) => {
    const [method, path] = route.split(" ") as [string, string];
    routes[path] = { ...routes[path], [method]: handle };
  };
  for (const op of table as readonly AnyOperation[])
    if (Array.isArray(op.http)) for (const route of op.http) add(route, operation(op));
  for (const [route, translation] of Object.entries(terminalRoutes))
    add(route, operation(operationNamed(translation.operation) as AnyOperation, translation));

  const authorised = (name: string, handle: Handle) =>
    wrapped(name, async (request, server) => {
      await callerOf(request, inbox, options.auth);
      return handle(request, server);
    });
  add(
    "GET /api/events",
    authorised("events.stream", async (request, server) => {
      server.timeout(request, 0);
      const filter = await inputOf(operationNamed("events.watch") as AnyOperation, request);
      const over = guard.wait(filter.agent as string | undefined);
      try {
        return eventStream(request, inbox, filter, stopping.signal, over);
      } catch (error) {
        over();
        throw error;
      }
    }),
  );
  /** [U2] Routes that show files: whose they are is asked of the entry. */
  const ofEntry = (
    name: string,
    show: (
      request: RoutedRequest,
      found: Awaited<ReturnType<EmbeddedInbox["entry"]>>,
      server: Bun.Server<undefined>,
    ) => Response,
  ) =>
    wrapped(name, async (request, server) => {
      const caller = await callerOf(request, inbox, options.auth);
      const found = await inbox.entry(request.params.id!);
      mayRead(caller, found);
      return show(request, found, server);
    });
  for (const method of ["GET", "HEAD"]) {
    add(`${method} /api/inbox/:id/docs/:n`, ofEntry("entries.document", document));
    add(`${method} /api/inbox/:id/files`, ofEntry("entries.picture", picture));
  }
  add(
    "GET /api/inbox/:id/docs/watch",
    ofEntry("entries.watch", (request, found, server) => {
      server.timeout(request, 0);
      const over = guard.wait(undefined);
      try {
        return documentStream(request, found, stopping.signal, over);
      } catch (error) {
        over();
        throw error;
      }
    }),
  );
  add(
    "POST /api/inbox/seed",
    options.dev
      ? authorised("entries.seed", async (request) => plain(await seed(inbox, await jsonBody(request)), 201))
      : wrapped("none", async () => wrongMethod("POST", [], "it is for work on the page: inbox serve --dev")),
  );
  const visitMcp: Handle = async (request, server) => {
    const caller = await callerOf(request, inbox, options.auth);
    const choices = loadMcp().choicesIn(new URL(request.url));
    const home =
      request.params.workspace === undefined ? {} : await visitorOf(caller, request.params.workspace);
    server.timeout(request, 0);
    mcp ??= loadMcp().openMcp(inbox, guard.wait);
    return mcp.fetch(request, { caller, ...choices, ...home });
  };

  /** [U1] The address says whose workspace it is; a token must be its agent's. */
  async function visitorOf(caller: Caller, id: string): Promise<Partial<Visitor>> {
    const { workspaceId, agent, path } = await inbox.workspace(id);
    if (caller.agent !== undefined && caller.agent !== agent && caller.scope !== "admin")
      throw new InboxError(
        "not_allowed",
        `this token speaks for "${caller.agent}", and the workspace is another agent's`,
      );
    // What it starts works where it works itself.
    return { workspace: workspaceId, agent, here: { cwd: path, env: {} } };
  }

  for (const method of ["GET", "POST", "DELETE"])
    for (const place of ["/mcp", "/mcp/:workspace"]) add(`${method} ${place}`, wrapped("mcp", visitMcp));
  for (const word of ["confirm", "release"] as const)
    add(
      `POST /api/hand-overs/${word}`,
      wrapped(`hand-overs.${word}`, async (request) => {
        const caller = await callerOf(request, inbox, options.auth);
        await inbox.settle(word, receiptIn(await jsonBody(request), caller));
        return plain({ ok: true });
      }),
    );
  const open = { ok: true, program: "restante", version, ...options.about };
  add(
    "GET /healthz",
    wrapped("healthz", async () => plain(open)),
  );
  add(
    "GET /readyz",
    wrapped("readyz", async () => {
      try {
        await inbox.hasTokens(); // the cheapest question that needs the database
        return plain({ ok: true });
      } catch (error) {
        return plain({ ok: false, error: asInboxError(error).shape() }, 503);
      }
    }),
  );
  add(
    "GET /metrics",
    authorised("metrics", async () => {
      const text = metrics.text({
        waiters: ["Open waits.", guard.waiting()],
        resident_bytes: ["Memory in use.", process.memoryUsage.rss()],
      });
      return new Response(text, { headers: { "content-type": "text/plain; version=0.0.4" } });
    }),
  );
  add("GET /openapi.json", wrapped("openapi", openApi));
  for (const path of pagePaths) add(`GET ${path}`, wrapped("page", inboxPage, "link"));
  add(`GET ${diagramPath}`, wrapped("page", diagramFrame));
  add(`GET ${assetPaths}`, wrapped("page", asset, "anybody"));
  add("GET /docs/api", wrapped("docs", page, "link"));
  for (const asset of ["api.js", "api.css"]) add(`GET /docs/${asset}`, wrapped("docs", page));

  const methods = (handlers: Record<string, Handle>) => ({
    ...handlers,
    ...Object.fromEntries(
      ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"]
        .filter((method) => !(method in handlers))
        .map((method) => [method, wrapped("none", async () => wrongMethod(method, Object.keys(handlers)))]),
    ),
  });

  const server = Bun.serve({
    port: options.port,
    hostname: options.hostname,
    // Longer than the slowest engine takes to say that it is away.
    idleTimeout: 60,
    // Our own limit is lower, and says so in our own words (request.ts).
    maxRequestBodySize: 64 * 1024 * 1024,
    routes: Object.fromEntries(
      Object.entries(routes).map(([path, handlers]) => [path, methods(handlers)]),
    ) as never,
    fetch: (request, server) =>
      wrapped("none", async () => notFound(request))(request as RoutedRequest, server),
    error: (error) => refusal(error),
  });

  return {
    url: `http://${options.hostname.includes(":") ? `[${options.hostname}]` : options.hostname}:${server.port}`,
    /** Waiters get an answer, what is being written is finished, then the door closes. */
    async stop(): Promise<void> {
      stopping.abort();
      // A client that neither reads nor ends keeps nobody else waiting.
      const patience = setTimeout(() => void server.stop(true), graceMs);
      await server.stop(false);
      clearTimeout(patience);
      await new Promise((done) => setImmediate(done));
      await Promise.all(settling);
      await mcp?.close();
    },
  };
}

function wrongMethod(method: string, allowed: string[], hint = `possible: ${allowed.join(", ")}`): Response {
  const error = new InboxError("invalid_input", `${method} is not possible here`, { hint });
  const response = plain({ ok: false, error: error.shape() }, 405);
  response.headers.set("allow", allowed.join(", "));
  return response;
}
