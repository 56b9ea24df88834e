/** [C14] Operations and fields as requests: routes, and names of JSON properties and of queries. */
import type { AnyOperation } from "../../contract/operation.ts";
import { isBlank, type Reference, type Spelling, type Value, valueText } from "../../contract/phrase.ts";
import { namedIn } from "./named.ts";
import { inShell } from "./shell.ts";

const inAddress = (value: Value) => (isBlank(value) ? value.blank : encodeURIComponent(String(value)));

function request({ http, kind }: AnyOperation, input: Readonly<Record<string, Value>>): string {
  const routes = http as readonly string[];
  const keysOf = (route: string) => [...route.matchAll(/:(\w+)/g)].map(([, key]) => key!);
  const fitting = routes.filter((route) => keysOf(route).every((key) => key in input));
  const [fullest] = fitting.sort((a, b) => keysOf(b).length - keysOf(a).length);
  // A read can be requested with a GET, which every client can send.
  const plain = kind === "read" ? fitting.find((one) => one.startsWith("GET ")) : undefined;
  const route = plain ?? fullest ?? routes[0]!;
  const path = route.replace(/:(\w+)/g, (whole, key) => (key in input ? inAddress(input[key]!) : whole));
  const rest = Object.entries(input).filter(([key]) => !keysOf(route).includes(key));
  if (!rest.length) return path;
  return route.startsWith("GET ")
    ? `${path}?${rest.map(([key, value]) => `${key}=${inAddress(value)}`).join("&")}`
    : `${path} with {${rest.map(([key, value]) => `"${key}": ${valueText(value)}`).join(", ")}}`;
}

/** An operation without a route is written as a shell command, for the person who runs the hub. */
export const inRequests: Spelling = (reference: Reference) => {
  switch (reference.is) {
    case "field":
      if (reference.of !== undefined && !Array.isArray(namedIn(reference.of)!.http))
        return inShell()(reference);
      return reference.value === undefined
        ? reference.name
        : `${reference.name}: ${valueText(reference.value)}`;
    case "call": {
      const op = namedIn(reference.operation)!;
      return Array.isArray(op.http) ? request(op, reference.input) : inShell()(reference);
    }
    case "help":
      return "/docs/api";
    case "option":
      return reference.name === "token" ? "the header Authorization: Bearer TOKEN" : inShell()(reference);
    case "file":
    case "variable":
      return undefined;
  }
};
