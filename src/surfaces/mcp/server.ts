/** [C5] The MCP server of one connection or request: tools, resources and prompts over one session. */
import {
  type McpRequestContext,
  ProtocolError,
  ProtocolErrorCode,
  Server,
} from "@modelcontextprotocol/server";
import { asInboxError } from "../../contract/errors.ts";
import type { ToolListing } from "../../contract/operation.ts";
import { callTool, type Session } from "./call.ts";
import { described, serverInfo } from "./greeting.ts";
import { promptNamed, promptsFor } from "./prompts.ts";
import { checkAddress, readResource, resourcesOf, resourceTemplates } from "./resources.ts";
import { serveSkills } from "./skills.ts";
import { shownTo, toolsOf } from "./tools.ts";
import { inModelsWords } from "./wording.ts";

/** The sets a session is offered; undefined where nobody has chosen. */
export interface ServerChoice {
  sets?: readonly ToolListing[];
}

export function makeServer(session: Session, { sets }: ServerChoice, context: McpRequestContext): Server {
  const server = new Server(serverInfo, described);
  const known = session.caller.agent !== undefined || session.agent !== undefined;

  const offered = toolsOf({ sets, caller: session.caller, inWorkspace: session.workspace !== undefined });
  const running = new Map<string | number, () => void>();
  session.abandon = (id) => running.get(id)?.();

  server.setRequestHandler("tools/list", async () => ({
    tools: offered.map((tool) => shownTo(tool, known)) as never,
  }));

  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    const token = mcpReq._meta?.progressToken;
    const progress =
      token === undefined
        ? undefined
        : (waited: number) =>
            void mcpReq
              .notify({
                method: "notifications/progress",
                params: { progressToken: token, progress: waited, message: `waiting, ${waited} s` },
              })
              .catch(() => {});
    const ending = new AbortController();
    const key = session.alone ? crypto.randomUUID() : mcpReq.id;
    const cancel = () => {
      ending.abort(new DOMException("the client went away", "AbortError"));
      session.settling.cancelled(key);
    };
    mcpReq.signal.addEventListener("abort", cancel);
    // A client that closes its connection before it has the whole answer has collected nothing.
    context.requestInfo?.signal.addEventListener("abort", cancel);
    if (mcpReq.signal.aborted) cancel();
    running.set(mcpReq.id, cancel);
    try {
      return await callTool(session, params.name, params.arguments ?? {}, {
        id: key,
        signal: ending.signal,
        progress,
      });
    } finally {
      // From here on the signal only says that the exchange is over, successfully or not.
      mcpReq.signal.removeEventListener("abort", cancel);
      running.delete(mcpReq.id);
    }
  });

  server.setRequestHandler("resources/list", async () => ({ resources: await resourcesOf(session) }));
  server.setRequestHandler("resources/templates/list", async () => ({ resourceTemplates }));
  server.setRequestHandler("resources/read", ({ params }) => asProtocol(readResource(session, params.uri)));
  serveSkills(server, context);
  if (context.era === "legacy") serveSubscriptions(server, session);
  server.setRequestHandler("prompts/list", async () => ({
    prompts: promptsFor(new Set(offered.map(({ form }) => form.tool))),
  }));
  server.setRequestHandler("prompts/get", ({ params }) =>
    asProtocol((async () => promptNamed(params.name))()),
  );

  server.setNotificationHandler("notifications/cancelled", ({ params }) => {
    if (params.requestId === undefined) return;
    running.get(params.requestId)?.();
    session.settling.cancelled(params.requestId);
  });
  return server;
}

/** In the previous revision, a client subscribes to one resource after another; in the newest, the transport handles it. */
function serveSubscriptions(server: Server, session: Session): void {
  const { changes } = session;
  const wanted = new Set<string>();
  let stop: (() => void) | undefined;
  let isClosed = false;
  const tell = (uri: string) => {
    if (wanted.has(uri)) void server.sendResourceUpdated({ uri }).catch(() => {});
  };
  server.setRequestHandler("resources/subscribe", ({ params }) =>
    asProtocol(
      (async () => {
        await checkAddress(session, params.uri);
        const subscribed = await changes.ready();
        // The client may have disconnected meanwhile: then nothing would ever end the subscription.
        if (!isClosed) {
          wanted.add(params.uri);
          stop ??= changes.subscribe(tell);
        }
        subscribed();
        return {};
      })(),
    ),
  );
  server.setRequestHandler("resources/unsubscribe", async ({ params }) => {
    wanted.delete(params.uri);
    if (!wanted.size) {
      stop?.();
      stop = undefined;
    }
    return {};
  });
  server.onclose = () => {
    isClosed = true;
    stop?.();
  };
}

/** Outside of tools an error is a protocol error: its message has the reason and the hint. */
async function asProtocol<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const refused = asInboxError(error);
    const { message, hint } = inModelsWords(refused);
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${message}; ${hint}`, { code: refused.code });
  }
}
