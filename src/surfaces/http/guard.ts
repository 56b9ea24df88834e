/**
 * [X1] [X4] Which requests are accepted at all. Any DNS name can be made to point here, so the Host must be ours;
 * requests from browsers have further rules (browsers.ts); and requests per second are limited.
 */
import { InboxError } from "../../contract/errors.ts";
import { blank, field, phrase } from "../../contract/phrase.ts";
import { refuseForeign, refuseUnasked, type Visit } from "./browsers.ts";
import type { Quota } from "./held-limit.ts";

export interface Limits {
  /** Requests a second, from each address. */
  rate: number;
  /** Open waits and streams. */
  waits: Quota;
  /** Entries whose documents are being watched. */
  watchedEntries: Quota;
  /** Sessions of MCP clients. */
  sessions: Quota;
}

/** Without tokens all processes on this machine are one person at one address, who may have most of the limit, but not all. */
export const usualLimits: Limits = {
  rate: 50_000,
  waits: { all: 20_000, perToken: 1000, perAddress: 15_000 },
  watchedEntries: { all: 256, perToken: 64, perAddress: 192 },
  sessions: { all: 10_000, perToken: 256, perAddress: 7500 },
};

const loopback = new Set(["localhost", "127.0.0.1", "[::1]", "::1"]);
export const isLoopback = (host: string) => loopback.has(host) || /^127\.\d+\.\d+\.\d+$/.test(host);

export interface Admission {
  visit?: Visit;
  /** Requests that change nothing, whatever their method. */
  open?: true;
}

const withoutPort = (host: string) => host.toLowerCase().replace(/:\d+$/, "");

const placesOf = (name: string) =>
  (/:\d+$/.test(name) ? [name] : [`${name}:80`, `${name}:443`]).map((place) => place.toLowerCase());

/** `names`: the names of a proxy in front of the hub, with a port if it is not the default. */
export function makeGuard(rate: number, hostname: string, names: readonly string[]) {
  const allowed = new Set([hostname, ...names].map(withoutPort));
  // If a proxy does not pass the Host header on, its pages have another Origin than our address.
  const origins = new Set(names.filter((name) => !isLoopback(withoutPort(name))).flatMap(placesOf));
  const isNamed = (place: string) => origins.has(place);
  let lastOurs: string | undefined; // usually one client sends many requests in a row
  const ours = (host: string) => {
    if (host === lastOurs) return true;
    const name = withoutPort(host);
    const known = isLoopback(name) || allowed.has(name);
    if (known) lastOurs = host;
    return known;
  };
  const counts = new Map<string, number>();
  let second = 0;

  return {
    admit(request: Request, address: string, { visit, open }: Admission): void {
      const host = request.headers.get("host") ?? "";
      if (!ours(host))
        throw new InboxError("not_allowed", `the Host header "${host}" is not accepted`, {
          hint: phrase`use localhost, or start the hub with ${field("allowHost", blank("NAME"), "bus.serve")}`,
        });
      if (visit !== "anybody") refuseForeign(request, host, isNamed, visit);
      const now = Math.floor(performance.now() / 1000);
      if (now !== second) {
        second = now;
        counts.clear();
      }
      const count = (counts.get(address) ?? 0) + 1;
      counts.set(address, count);
      if (count > rate) throw new InboxError("limited", `more than ${rate} requests a second`);
      if (!open && request.method !== "GET" && request.method !== "HEAD") refuseUnasked(request);
    },
  };
}
