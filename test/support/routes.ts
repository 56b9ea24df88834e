/** Every route of the operation table, and how an input becomes a request. */
import type { AnyOperation } from "../../src/contract/operation.ts";
import { table } from "../../src/contract/operations/index.ts";
import type { Fields } from "./hub.ts";

export interface Route {
  op: AnyOperation;
  /** As in the table: `POST /api/threads/:thread/claim`. */
  route: string;
}

export const routes: Route[] = (table as readonly AnyOperation[]).flatMap((op) =>
  Array.isArray(op.http) ? op.http.map((route: string) => ({ op, route })) : [],
);

/** Fields of the path into the path, the others into the query or the body. */
export function requestOf(route: string, input: Fields): [route: string, body?: Fields] {
  const rest = { ...input };
  const path = route.replace(/:(\w+)/g, (_, key: string) => {
    const value = rest[key];
    delete rest[key];
    return encodeURIComponent(String(value));
  });
  if (!route.startsWith("GET ")) return [path, rest];
  const query = new URLSearchParams(
    Object.entries(rest).map(([key, value]): [string, string] => [key, String(value)]),
  );
  return [query.size ? `${path}?${query}` : path];
}

/** One of each kind of route. */
export const routeKinds = [
  "GET /healthz",
  "GET /readyz",
  "GET /metrics",
  "GET /openapi.json",
  "GET /docs/api",
  "GET /docs/api.js",
  "GET /nowhere",
  "GET /",
  "GET /inbox/x",
  "GET /diagrams",
  "GET /worker.js",
  "GET /api/threads",
  "PUT /api/threads",
  "POST /api/messages",
  "GET /api/events",
  "GET /api/events/wait?timeoutSeconds=0.001",
  "POST /api/hand-overs/confirm",
  "GET /terminals/S/inbox/messages",
  "GET /terminals/S/inbox/messages/wait?timeout=0",
  "POST /mcp",
  "GET /mcp",
];
