/** One operation as one HTTP request, by its route in the table. Web standards only. */
import { isClientKey } from "../../contract/client-key.ts";
import { type ErrorCode, type ErrorShape, InboxError } from "../../contract/errors.ts";
import { clientHeader, handOverHeader, modelsClient } from "../../contract/headers.ts";
import type { AnyOperation } from "../../contract/operation.ts";
import { call as calling, phrase, phraseOf } from "../../contract/phrase.ts";
import type { Receipt } from "../../contract/receipt.ts";
import { tokensOwner } from "../../contract/token.ts";

export interface Wire {
  url: string;
  token?: string;
  /** [A5.8] A model has typed the command. */
  byModel?: boolean;
  /** [G4.3] Called once for each time that a wait has to wait for the hub. */
  onAway?: () => void;
  fetch: (url: string, init: RequestInit) => Promise<Response>;
}

export interface Sent {
  value: unknown;
  /** Confirms or releases the answer; undefined if nothing was handed over. */
  handOver?: Receipt;
}

interface Extras {
  idempotencyKey?: string;
  /** The id of the hand-over, if there is one. */
  id?: string;
  signal?: AbortSignal;
}

/** The headers of every request: that a client of the hub sent it, and its token. */
export const headersOf = ({ token, byModel }: Wire): Record<string, string> => ({
  [clientHeader]: byModel ? modelsClient : "restante",
  ...(token !== undefined && { authorization: `Bearer ${token}` }),
});

/** The first route whose path fields are all given: a claim without a thread has its own. */
function routeOf(op: AnyOperation, input: Record<string, unknown>): string {
  if (!Array.isArray(op.http)) throw new InboxError("invalid_input", `${op.name} has no route`);
  const routes = op.http as readonly string[];
  const fits = (route: string) =>
    [...route.matchAll(/:(\w+)/g)].every((match) => input[match[1]!] !== undefined);
  const most = [...routes].filter(fits).sort((a, b) => b.split(":").length - a.split(":").length)[0];
  if (!most) throw new InboxError("invalid_input", `${op.name} needs ${/:(\w+)/.exec(routes[0]!)?.[1]}`);
  return most;
}

export async function send(
  wire: Wire,
  op: AnyOperation,
  input: Record<string, unknown>,
  extras: Extras,
): Promise<Sent> {
  const rest = { ...input };
  const key = op.cli.identity;
  const unsaid = wire.token !== undefined && key !== undefined && rest[key] === undefined;
  if (unsaid) rest[key] = tokensOwner;
  const [method, pattern] = routeOf(op, rest).split(" ") as [string, string];
  let path = pattern.replace(/:(\w+)/g, (_, key: string) => {
    const value = String(rest[key]);
    delete rest[key];
    // In a URL these would be read as another path.
    if (value === "." || value === "..")
      throw new InboxError("invalid_input", `${key} must not be "${value}", which an address cannot hold`);
    return encodeURIComponent(value);
  });
  if (unsaid) delete rest[key];
  const given = Object.entries(rest).filter(([, value]) => value !== undefined);
  const { id = crypto.randomUUID() } = extras;
  const headers: Record<string, string> = { ...headersOf(wire), [handOverHeader]: id };
  let body: string | undefined;
  if (method === "GET") {
    const query = new URLSearchParams(Object.fromEntries(given.map(([key, value]) => [key, asText(value)])));
    if (given.length) path += `?${query}`;
  } else {
    headers["content-type"] = "application/json";
    // In the body, not as a header: a header loses spaces, and cannot contain every text.
    const { idempotencyKey } = extras;
    body = JSON.stringify({
      ...Object.fromEntries(given),
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    });
  }
  const { signal } = extras;
  // A caller that aborts has not received the answer, even if it is on its way.
  const giveUp = () => void tell(wire, "release", unanswered(op, input, id)).catch(() => {});
  signal?.addEventListener("abort", giveUp);
  try {
    // [A8] A person may take long to answer. Other runtimes than Bun have no such limit, and ignore the option.
    const patient = op.kind === "wait" ? { timeout: false } : {};
    const response = await call(wire, path, { method, headers, body, signal, ...patient });
    const text = await response.text().catch((cause) => {
      throw signal?.aborted ? signal.reason : unreachable(wire.url, cause);
    });
    const answer = parsed(text);
    if (!answer) throw notHub(wire.url, response.status);
    const { handOver, ...value } = answer;
    return { value, handOver };
  } finally {
    signal?.removeEventListener("abort", giveUp);
  }
}

/** Releases a call whose answer never arrived. With a token the hub knows whose it was. */
export function unanswered(op: AnyOperation, input: Record<string, unknown>, id: string): Receipt {
  const agent = input[op.cli.identity ?? ""];
  return { of: "call", id, ...(typeof agent === "string" && { agent }) };
}

function parsed(text: string): (Record<string, unknown> & { handOver?: Receipt }) | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const asText = (value: unknown) =>
  Array.isArray(value) ? value.join(",") : typeof value === "object" ? JSON.stringify(value) : String(value);

/** Sends a request; an error answer is thrown as the hub's error. */
export async function call(wire: Wire, path: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await wire.fetch(wire.url + path, init);
  } catch (error) {
    if (init.signal?.aborted) throw init.signal.reason;
    throw unreachable(wire.url, error);
  }
  if (response.ok) return response;
  throw await refusalOf(response, wire.url);
}

async function refusalOf(response: Response, url: string): Promise<InboxError> {
  try {
    const { error } = (await response.json()) as { error?: ErrorShape & { said?: Record<string, unknown> } };
    if (error) {
      // [C14] The references in the error, for the calling surface to spell; older hubs send only text.
      const { code, details, said } = error;
      const hint = phraseOf(said?.hint) ?? error.hint;
      return new InboxError(code, phraseOf(said?.message) ?? error.message, { hint, details });
    }
  } catch {
    // The answer is not from a hub.
  }
  return [502, 503, 504].includes(response.status)
    ? new InboxError("storage", `no hub answers at ${url} (HTTP ${response.status})`, {
        hint: "a proxy answered instead: check that the hub is running and the proxy forwards to it",
        details: { unreachable: true, status: response.status },
      })
    : notHub(url, response.status);
}

export const unreachable = (url: string, cause: unknown) =>
  new InboxError("storage", `the hub at ${url} cannot be reached`, {
    hint: phrase`check that it is running; where its database is, ${calling("bus.up", portIn(url))} starts it`,
    cause,
    details: { unreachable: true, ...(neverSent(cause) && { sent: false }) },
  });

/** A port that is not in the address may be that of a proxy. */
function portIn(url: string): { port?: number } {
  const port = URL.canParse(url) ? Number(new URL(url).port) : 0;
  return port ? { port } : {};
}

/** The connection was refused, so nothing of the request was sent. */
const neverSent = (cause: unknown): boolean =>
  /^(ConnectionRefused|ECONNREFUSED|ENOTFOUND|FailedToOpenSocket)$/.test(codeIn(cause));

/** There was a connection, and it broke before the answer was complete: whoever listened has gone, or closed it. */
export const wasCutOff = (error: unknown): boolean =>
  isUnreachable(error) &&
  /^(ConnectionClosed|ECONNRESET|EPIPE|UND_ERR_SOCKET)$/.test(codeIn((error as InboxError).cause));

/** Each runtime has its own codes, and some put them into a cause of the cause. */
function codeIn(cause: unknown): string {
  const { code, cause: deeper } = (cause ?? {}) as { code?: unknown; cause?: unknown };
  if (typeof code === "string") return code;
  return deeper === undefined ? "" : codeIn(deeper);
}

/** A hub is there, and yet no answer came, however often it was asked. */
export const noAnswer = (url: string, cause: unknown) =>
  new InboxError("storage", `the hub at ${url} gave no answer`, {
    hint: "run it again: what a lost answer contained is delivered again",
    cause,
    details: { unreachable: true },
  });

/** A write that may have been done, though no answer came. With its key it can be repeated, and is done once. */
export const notKnown = (op: AnyOperation, { url }: Wire, key: string, cause: InboxError) =>
  new InboxError("storage", `${whyNotKnown(url, cause)}: whether ${op.name} was written is not known`, {
    hint: `repeat it with the idempotency key ${key}${isClientKey(key) ? " within an hour" : ""}: it is applied only once`,
    cause,
    details: { ...cause.details, known: false, idempotency_key: key },
  });

function whyNotKnown(url: string, cause: InboxError): string {
  if (cause.details?.status) return cause.message;
  const silent = `the hub at ${url} gave no answer`;
  return isUnreachable(cause) ? silent : `${silent}, and the repeated call was refused (${cause.message})`;
}

const notHub = (url: string, status: number) =>
  new InboxError("storage", `${url} answered ${status}, but not as a hub does`, {
    hint: "check the address",
  });

export async function settleOnce(wire: Wire, word: "confirm" | "release", receipt: Receipt): Promise<void> {
  const headers = { ...headersOf(wire), "content-type": "application/json" };
  await call(wire, `/api/hand-overs/${word}`, { method: "POST", headers, body: JSON.stringify(receipt) });
}

/** Confirms or releases an answer, at whichever hub answers. */
export const tell = (wire: Wire, word: "confirm" | "release", receipt: Receipt): Promise<void> =>
  again(() => settleOnce(wire, word, receipt));

export const isUnreachable = (error: unknown) =>
  error instanceof InboxError && error.details?.unreachable === true;

const tries = 4;

/**
 * Errors that are raised before the key is looked up: they say that this try was not written, and nothing about the
 * one before it.
 */
const blind = new Set<ErrorCode>([
  "storage",
  "busy",
  "limited",
  "not_allowed",
  "unauthenticated",
  "not_initialized",
  "internal",
]);
const isBlind = (error: unknown) => error instanceof InboxError && blind.has(error.code);

/** Retries calls that can be repeated when there was no answer. `unknown`: the text if one of the tries may have arrived. */
export async function again<T>(
  work: () => Promise<T>,
  unknown: (error: InboxError) => InboxError = (error) => error,
): Promise<T> {
  let mayHaveArrived = false;
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      mayHaveArrived ||= isUnreachable(error) && (error as InboxError).details?.sent !== false;
      const worth = isUnreachable(error) || (error instanceof InboxError && error.code === "busy");
      if (!worth || attempt >= tries)
        throw mayHaveArrived && isBlind(error) ? unknown(error as InboxError) : error;
      await new Promise((done) => setTimeout(done, 50 * 2 ** attempt));
    }
  }
}
