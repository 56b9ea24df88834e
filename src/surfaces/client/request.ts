/** One operation as one HTTP request, by its route in the table. Web standards only. */
import { type ErrorShape, InboxError } from "../../contract/errors.ts";
import type { AnyOperation } from "../../contract/operation.ts";

export const handHeader = "x-inbox-hand-over";

export interface Wire {
  url: string;
  token?: string;
  fetch: (url: string, init: RequestInit) => Promise<Response>;
}

export interface Sent {
  value: unknown;
  /** Where the hub waits for a word that the answer arrived. */
  handOver: string | null;
}

interface Extras {
  idempotencyKey?: string;
  signal?: AbortSignal;
}

/** The first route whose path fields are all given: a claim without a thread has one of its own. */
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
  const [method, pattern] = routeOf(op, input).split(" ") as [string, string];
  let path = pattern.replace(/:(\w+)/g, (_, key: string) => {
    const value = rest[key];
    delete rest[key];
    return encodeURIComponent(String(value));
  });
  const given = Object.entries(rest).filter(([, value]) => value !== undefined);
  const headers: Record<string, string> = { [handHeader]: crypto.randomUUID() };
  if (wire.token !== undefined) headers.authorization = `Bearer ${wire.token}`;
  let body: string | undefined;
  if (method === "GET") {
    const query = new URLSearchParams(Object.fromEntries(given.map(([key, value]) => [key, asText(value)])));
    if (given.length) path += `?${query}`;
  } else {
    headers["content-type"] = "application/json";
    // In the body, not as a header: a header loses spaces, and cannot hold every text.
    const { idempotencyKey } = extras;
    body = JSON.stringify({
      ...Object.fromEntries(given),
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    });
  }
  const { signal } = extras;
  const giveUp = () => void tell(wire, headers[handHeader]!, "release").catch(() => {});
  // Whoever goes away has not got the answer, even if it is on its way.
  signal?.addEventListener("abort", giveUp);
  const response = await call(wire, path, { method, headers, body, signal }).finally(() =>
    signal?.removeEventListener("abort", giveUp),
  );
  const value = await response.json().catch(() => {
    throw notHub(wire.url, response.status);
  });
  return { value, handOver: response.headers.get(handHeader) };
}

const asText = (value: unknown) =>
  Array.isArray(value) ? value.join(",") : typeof value === "object" ? JSON.stringify(value) : String(value);

/** A request whose refusal is thrown as the error the hub meant. */
export async function call(wire: Wire, path: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await wire.fetch(wire.url + path, init);
  } catch (error) {
    if (init.signal?.aborted) throw init.signal.reason;
    throw new InboxError("storage", `the hub at ${wire.url} cannot be reached`, {
      hint: "is it running? inbox serve starts one",
      cause: error,
      details: { unreachable: true },
    });
  }
  if (response.ok) return response;
  throw await refusalOf(response, wire.url);
}

async function refusalOf(response: Response, url: string): Promise<InboxError> {
  try {
    const { error } = (await response.json()) as { error?: ErrorShape };
    if (error) return new InboxError(error.code, error.message, error);
  } catch {
    // Not ours.
  }
  return notHub(url, response.status);
}

const notHub = (url: string, status: number) =>
  new InboxError("storage", `${url} answered ${status}, and not in the words of a hub`, {
    hint: "check the address",
  });

/** What became of an answer, said to the hub that waits for it. */
export async function tell(wire: Wire, handOver: string, word: "confirm" | "release"): Promise<void> {
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (wire.token !== undefined) headers.authorization = `Bearer ${wire.token}`;
  const say = () =>
    call(wire, `/api/hand-overs/${handOver}/${word}`, { method: "POST", headers, body: "{}" });
  await again(say);
}

const tries = 4;

/** What can be said twice is said again when nobody answered. */
export async function again<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const worth =
        error instanceof InboxError && (error.details?.unreachable === true || error.code === "busy");
      if (!worth || attempt >= tries) throw error;
      await new Promise((done) => setTimeout(done, 50 * 2 ** attempt));
    }
  }
}
