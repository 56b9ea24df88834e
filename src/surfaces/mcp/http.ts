/**
 * [C5] MCP over HTTP. In the newest revision a call is one request and its answer, and ends when its client
 * disconnects. In the one before it, a cancel is a separate request, so it needs sessions: they are issued here, and
 * expire.
 */
import {
  createMcpHandler,
  isLegacyRequest,
  type McpRequestContext,
  type McpServer,
  type Server,
  type ServerEventBus,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { InboxError } from "../../contract/errors.ts";
import { type ToolListing, toolListings } from "../../contract/operation.ts";
import type { Surroundings } from "../../contract/surroundings.ts";
import type { Caller } from "../../inbox/caller.ts";
import type { Inbox } from "../../inbox/inbox.ts";
import type { Session } from "./call.ts";
import { type Changes, openChanges } from "./changes.ts";
import { checkAddress } from "./resources.ts";
import { makeServer } from "./server.ts";
import { type Id, openSettling } from "./settle.ts";

/** Who sends a request, as far as the hub knows. */
export interface Visitor {
  caller: Caller;
  /** From the address: `?agent=NAME`. */
  agent?: string;
  sets?: readonly ToolListing[];
  /** [U1] From the address: `/mcp/WORKSPACE`. */
  workspace?: string;
  here?: Surroundings;
  admit: Admission;
}

/** [X14] Asks whether the visitor may have one more; the returned function is called when it is over. */
export interface Admission {
  wait(): () => void;
  session(): () => void;
}

interface Kept {
  transport: WebStandardStreamableHTTPServerTransport;
  session: Session;
  who: string;
  timer?: Timer;
  free(): void;
  /** Streams that its client keeps open: it is still there, even if it is silent. */
  busy: number;
}

/** [B4] An answer that could not be written was cancelled before; the others belong to their clients. */
const wasWritten = () => true;

const idleMs = 30 * 60_000;
const bodyLimit = 4 * 1024 * 1024;

export interface McpOptions {
  /** [C11] Aborted when the hub is about to stop: open calls are answered, open streams end. */
  stopping: AbortSignal;
  /** What is served: the bus, unless a test replaces it. */
  make?: (...args: Parameters<typeof makeServer>) => Server | McpServer;
}

export function openMcp(inbox: Inbox, { stopping, make = makeServer }: McpOptions) {
  const changes = openChanges(inbox);
  const sessions = openSessions({ inbox, changes, stopping, make });
  const bus: ServerEventBus = {
    publish: () => {},
    subscribe: (listener) => changes.subscribe((uri) => listener({ kind: "resource_updated", uri })),
  };
  /** Answers of the newest revision that are not settled yet: the next call of the same client confirms that it has read them. */
  const settling = openSettling();

  const modern = createMcpHandler(
    (context: McpRequestContext) => {
      const { visitor, answers } = context.authInfo!.extra as { visitor: Visitor; answers: Id[] };
      const session: Session = {
        inbox,
        ...sessionOf(visitor),
        settling,
        changes,
        alone: { speaker: nameOf(visitor), answers },
        stopping,
      };
      return make(session, visitor, context);
    },
    { legacy: "reject", maxRequestBodySize: bodyLimit, bus },
  );

  return {
    async fetch(request: Request, visitor: Visitor): Promise<Response> {
      if (
        request.method === "POST" &&
        !/^application\/json\b/i.test(request.headers.get("content-type") ?? "")
      )
        return Response.json(failure(-32600, "the body must be application/json"), { status: 415 });
      if (await isLegacyRequest(request, undefined, { maxRequestBodySize: bodyLimit }))
        return sessions.fetch(request, visitor);
      const listens = request.headers.get("mcp-method") === "subscriptions/listen";
      if (listens)
        for (const uri of subscribedIn(await bodyOf(request))) await checkAddress({ inbox, ...visitor }, uri);
      // Before the client is told that it is subscribed, so that nothing is missed in between.
      const subscribed = listens ? await changes.ready() : undefined;
      const answers: Id[] = [];
      const authInfo = { token: "", clientId: nameOf(visitor), scopes: [], extra: { visitor, answers } };
      const response = await modern.fetch(request, { authInfo }).finally(subscribed);
      if (listens) return endingWith(stopping, response);
      const written = () => answers.forEach(settling.written);
      return response.body
        ? new Response(response.body.pipeThrough(new TransformStream({ flush: written })), response)
        : response;
    },
    sessions: sessions.count,
    async close(): Promise<void> {
      sessions.endAll();
      await settling.close(wasWritten);
      await modern.close();
      changes.close();
    },
  };
}

interface Served extends Required<McpOptions> {
  inbox: Inbox;
  changes: Changes;
}

/** Sessions of the revision before the newest. */
function openSessions({ inbox, changes, stopping, make }: Served) {
  const sessions = new Map<string, Kept>();

  function end(id: string): void {
    const kept = sessions.get(id);
    if (!kept) return;
    sessions.delete(id);
    kept.free();
    clearTimeout(kept.timer);
    void kept.session.settling.close(wasWritten);
    void kept.transport.close();
  }

  function rest(id: string, kept: Kept): void {
    clearTimeout(kept.timer);
    kept.timer = setTimeout(() => (kept.busy ? rest(id, kept) : end(id)), idleMs);
  }

  async function begin(visitor: Visitor): Promise<Kept> {
    const session: Session = {
      inbox,
      ...sessionOf(visitor),
      settling: openSettling(),
      changes,
      stopping,
    };
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => {
        sessions.set(id, kept);
        rest(id, kept);
      },
      onsessionclosed: end,
      maxRequestBodySize: bodyLimit,
    });
    const kept: Kept = {
      transport,
      session,
      who: nameOf(visitor),
      busy: 0,
      free: visitor.admit.session(),
    };
    await make(session, visitor, { era: "legacy" }).connect(transport);
    return kept;
  }

  async function answer(request: Request, visitor: Visitor): Promise<Response> {
    const id = request.headers.get("mcp-session-id");
    const kept = id === null ? await begin(visitor) : sessions.get(id);
    if (!kept) return gone();
    // A session belongs to the client that opened it: another token cannot use it.
    if (kept.who !== nameOf(visitor)) throw new InboxError("not_allowed", "that session is another agent's");
    if (id !== null) rest(id, kept);
    const parsedBody = request.method === "POST" ? await bodyOf(request) : undefined;
    const asked = requestIdIn(parsedBody);
    // By the protocol a closed connection is not a cancel here; but an answer that nobody reads must collect nothing.
    if (asked !== undefined)
      request.signal.addEventListener("abort", () => {
        kept.session.abandon?.(asked);
        kept.session.settling.cancelled(asked);
      });
    const response = await kept.transport.handleRequest(request, { parsedBody });
    if (kept.transport.sessionId === undefined) kept.free(); // the first request of a session was not an initialize
    if (request.method !== "GET" || !response.ok) return response;
    kept.busy++;
    request.signal.addEventListener("abort", () => kept.busy--);
    return endingWith(stopping, response, ": here\n\n");
  }

  return {
    fetch: answer,
    count: () => sessions.size,
    endAll(): void {
      for (const id of [...sessions.keys()]) end(id);
    },
  };
}

/** [C11] A stream that would never end by itself is ended when the hub is about to stop. */
function endingWith(stopping: AbortSignal, response: Response, greeting = ""): Response {
  if (!response.body) return response;
  const reader = response.body.getReader();
  const { promise: stopped, resolve } = Promise.withResolvers<{ done: true; value?: undefined }>();
  const stop = () => resolve({ done: true });
  stopping.addEventListener("abort", stop);
  if (stopping.aborted) stop();
  const leave = () => {
    stopping.removeEventListener("abort", stop);
    return reader.cancel().catch(() => {});
  };
  const body = new ReadableStream<Uint8Array>({
    // The runtime sends the head of a response with the first part of its body, which may take long.
    start: (controller) => void (greeting && controller.enqueue(new TextEncoder().encode(greeting))),
    async pull(controller) {
      try {
        const { value, done } = await Promise.race([reader.read(), stopped]);
        if (!done) return controller.enqueue(value);
      } catch {
        // The client has disconnected.
      }
      void leave();
      controller.close();
    },
    cancel: leave,
  });
  return new Response(body, response);
}

export type Mcp = ReturnType<typeof openMcp>;

const sessionOf = ({ admit, ...visitor }: Visitor) => ({ ...visitor, admitWait: admit.wait });

const nameOf = ({ caller, agent, workspace }: Visitor) =>
  [caller.agent ?? agent ?? "", workspace].filter(Boolean).join("@");

/** `?agent=NAME&tools=worker,mailbox` */
export function choicesIn(url: URL): Pick<Visitor, "agent" | "sets"> {
  const agent = url.searchParams.get("agent") ?? undefined;
  const asked = url.searchParams.get("tools")?.split(/[,|]/).filter(Boolean);
  const wrong = asked?.find((name) => !(toolListings as readonly string[]).includes(name));
  if (wrong !== undefined)
    throw new InboxError("invalid_input", `there is no set of tools "${wrong}"`, {
      hint: `known: ${toolListings.join(", ")}`,
    });
  return { agent, sets: asked?.length ? (asked as ToolListing[]) : undefined };
}

const failure = (code: number, message: string) => ({ jsonrpc: "2.0", error: { code, message }, id: null });

/** As the protocol says: the client then starts a new session. */
const gone = () => Response.json(failure(-32001, "the session has ended; initialize again"), { status: 404 });

async function bodyOf(request: Request): Promise<unknown> {
  try {
    return await request.clone().json();
  } catch {
    return undefined; // the transport reports what is wrong with it
  }
}

/** The resources that a client of the newest revision subscribes to. */
function subscribedIn(body: unknown): string[] {
  const { params } = (body ?? {}) as { params?: { notifications?: { resourceSubscriptions?: unknown } } };
  const uris = params?.notifications?.resourceSubscriptions;
  return Array.isArray(uris) ? uris.filter((uri) => typeof uri === "string") : [];
}

function requestIdIn(body: unknown): string | number | undefined {
  const { id, method } = (body ?? {}) as { id?: unknown; method?: unknown };
  return method === "tools/call" && (typeof id === "string" || typeof id === "number") ? id : undefined;
}
