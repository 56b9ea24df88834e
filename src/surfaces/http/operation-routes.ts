/** The routes that the operation table declares, and those of older protocols for the same operations. */
import { InboxError } from "../../contract/errors.ts";
import { clientHeader, modelsClient } from "../../contract/headers.ts";
import { type AnyOperation, marking } from "../../contract/operation.ts";
import { operationNamed, table } from "../../contract/operations/index.ts";
import { limitWait, patienceOf } from "../../contract/waiting.ts";
import { actAs, type Caller } from "../../inbox/caller.ts";
import type { BusOperation, CallOptions, Handed } from "../../inbox/inbox.ts";
import { collecting, hasGone, plain } from "./answer.ts";
import { refuseUnknowingly } from "./browsers.ts";
import { handOverOf, isOwnClient, withReceipt } from "./hand-overs.ts";
import { inputOf, jsonBody, sayingFields } from "./request.ts";
import type { Handle, Peer, Route, RouteContext, Routes, Server } from "./route.ts";
import { type Translation, terminalRoutes } from "./terminals.ts";

/** `track` is told about work that continues after an answer: the hub waits for it before it stops. */
export function operationRoutes(context: RouteContext, track: (settled: Promise<void>) => void): Routes {
  const route = (op: AnyOperation, translation?: Translation): Route => {
    const handle = handleOf(context, op, track, translation);
    return translation ? { counted: op.name, handle } : { counted: op.name, handle, explains: teaching(op) };
  };
  const routes: Routes = {};
  for (const op of table as readonly AnyOperation[])
    if (Array.isArray(op.http)) for (const each of op.http) routes[each] = route(op);
  for (const [each, translation] of Object.entries(terminalRoutes))
    routes[each] = route(operationNamed(translation.operation) as AnyOperation, translation);
  return routes;
}

/** An error says what the operation takes; our own clients say that in the terms of their surface. */
const teaching = (op: AnyOperation) => (error: unknown, request: Request) =>
  isOwnClient(request) ? error : sayingFields(op, error);

const anonymous: Caller = { surface: "rest" };
const aModel: Caller = { surface: "rest", byModel: true };
const callerOf = (peer: Peer, { headers }: Request): Caller => {
  if (peer.agent !== undefined) return { ...peer, surface: "rest" };
  return headers.get(clientHeader) === modelsClient ? aModel : anonymous;
};

const handleOf =
  (
    context: RouteContext,
    op: AnyOperation,
    track: (settled: Promise<void>) => void,
    translation?: Translation,
  ): Handle =>
  async (request, server, peer) => {
    // A GET that acts for an agent: it collects its mail.
    if (request.method === "GET" && op.kind === "wait" && op.cli.identity !== undefined)
      refuseUnknowingly(request);
    const raw = inputOf(op, request, request.method === "GET" ? {} : await jsonBody(request));
    const idempotencyKey = keyOf(raw, request);
    const input = translation ? translation.input(raw) : raw;
    for (const key in input) if (input[key] === undefined) delete input[key];
    if (request.method === "GET" && marking(op, input))
      throw new InboxError("invalid_input", "GET cannot make changes", {
        hint: `use ${(op.http as readonly string[])[0]}`,
      });
    actAs(peer, op, input);
    // [M1] The sender of a channel message that does not name one.
    if (op.cli.shape === "channel" && op.cli.identity !== undefined) input[op.cli.identity] ??= "api";
    const handOver = translation ? undefined : handOverOf(request);
    const options: CallOptions = { idempotencyKey, handOver, caller: callerOf(peer, request) };
    const waits = op.kind === "wait";
    // A client that has disconnected before its request is processed is handed nothing, on any engine.
    if ((waits || marking(op, input)) && (await hasGone(request)))
      throw new DOMException("the client went away", "AbortError");
    const handed = waits
      ? await waitFor(context, { op, input, request, server, peer }, options)
      : await handIn(context, op, input, options);
    const value: unknown = translation ? translation.output(handed.value as never) : handed.value;
    if (!handed.confirm) return plain(value, op.creates ? 201 : 200);
    if (await hasGone(request)) {
      await handed.release?.();
      return plain(value);
    }
    if (handOver !== undefined) return withReceipt(request, handed);
    return collecting(request, handed, value, track);
  };

/** Taken out of the body, where it is no field of the operation. */
function keyOf(body: Record<string, unknown>, { headers }: Request): string | undefined {
  const { idempotencyKey } = body;
  if ("idempotencyKey" in body) delete body.idempotencyKey;
  return (idempotencyKey as string | undefined) ?? headers.get("idempotency-key") ?? undefined;
}

const handIn = (
  { inbox }: RouteContext,
  op: AnyOperation,
  input: Record<string, unknown>,
  options: CallOptions,
): Promise<Handed<unknown>> => inbox.hand(op.name as BusOperation, input as never, options);

interface Waiting {
  op: AnyOperation;
  input: Record<string, unknown>;
  request: Request;
  server: Server;
  peer: Peer;
}

async function waitFor(
  context: RouteContext,
  { op, input, request, server, peer }: Waiting,
  options: CallOptions,
): Promise<Handed<unknown>> {
  limitWait(op, input);
  server.timeout(request, 0);
  const wait = context.stays.wait(request, peer, patienceOf(op, input) !== null);
  try {
    options.signal = wait;
    const handed = await handIn(context, op, input, options);
    if (!wait.revoked) return handed;
    await handed.release?.();
    throw wait.revoked;
  } finally {
    wait.over();
  }
}
