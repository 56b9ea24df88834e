/**
 * Requests made from our own /openapi.json and from the schemas of our tools: mostly what is declared, with something odd
 * in it. Whatever is sent, the hub answers in time, with what it has declared, and never with 5xx.
 */
import fc from "fast-check";
import openapi from "../../docs/generated/openapi.json" with { type: "json" };
import tools from "../../docs/generated/tools.json" with { type: "json" };
import bodies from "../corpora/bodies.json" with { type: "json" };
import escapes from "../corpora/path-escapes.json" with { type: "json" };
import { problemOf } from "./answers.ts";
import type { TestHub } from "./hub.ts";

interface Schema {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  minimum?: number;
  maximum?: number;
}

interface Parameter {
  name: string;
  in: "path" | "query";
  schema: Schema;
}

interface Sent {
  method: string;
  address: string;
  headers: Record<string, string>;
  body?: string;
}

/** What is wrong with one request, told as one; undefined where nothing is. */
export interface Found {
  requests: number;
  problem?: string;
}

/** These may wait for longer than anybody here listens. */
const mayWait = /wait|receive|gather|claim|handoff|check_inbox|watch|\blog\b/;
const patienceMs = 20_000;

/** Names and ids that are there, or may come to be: most requests should get past the first check. */
const names = ["w", "main", "user", "a b", "*", "pool", "thr_1", "tok_1", "ws-1", "default"];
const oddTexts = [
  "",
  " ",
  "-x",
  "..",
  "%00",
  "%",
  "\u0000",
  "\u200b",
  "\u202e",
  "\ud800",
  "\r\nx: y",
  "'; drop table x; --",
  '"',
  "\\",
  "__proto__",
  "constructor",
  "null",
  "undefined",
  "NaN",
  "1e309",
  "0x10",
  "\u{1f600}",
  "x".repeat(5000),
  ...escapes.refused,
];
const oddValues: unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  2 ** 53,
  -(2 ** 63),
  1e308,
  [],
  {},
  [[]],
  { a: { b: [] } },
  ...oddTexts,
];

const text = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...names) },
  { weight: 2, arbitrary: fc.string({ maxLength: 20, unit: "grapheme" }) },
  { weight: 1, arbitrary: fc.constantFrom(...oddTexts) },
);

/** Nothing may wait for long: a request that does hangs. */
const briefly = fc.oneof(
  { weight: 9, arbitrary: fc.constant(0.001) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(-1, 601, "x", null) },
);
const waits = /^(timeoutSeconds|timeout_seconds|timeout|batchWindow|batch_window|wait)$/;

function valid(schema: Schema, key = ""): fc.Arbitrary<unknown> {
  if (waits.test(key) && schema.type !== "boolean") return briefly;
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one) => valid(one, key)));
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  const { minimum: min = 0, maximum: max = 2 ** 31 } = schema;
  if (type === "boolean") return fc.boolean();
  if (type === "integer")
    return fc.oneof(fc.integer({ min, max: Math.min(max, min + 5) }), fc.integer({ min, max }));
  if (type === "number") return fc.double({ min, max, noNaN: true });
  if (type === "array") return fc.array(valid(schema.items ?? {}), { maxLength: 3 });
  if (type === "object")
    return fc.oneof(fieldsOf(schema), fc.dictionary(text, fc.jsonValue(), { maxKeys: 3 }));
  return /^id$|Id$/.test(key) ? fc.oneof(text, fc.integer({ min: 1, max: 30 }).map(String), fc.uuid()) : text;
}

const odd = (schema: Schema, key: string) =>
  fc.oneof(
    { weight: 12, arbitrary: valid(schema, key) },
    { weight: 1, arbitrary: fc.constantFrom(...oddValues) },
  );

function fieldsOf({ properties = {}, required = [] }: Schema): fc.Arbitrary<Record<string, unknown>> {
  const entries = Object.entries(properties);
  const model = Object.fromEntries(entries.map(([key, schema]) => [key, odd(schema, key)]));
  // What says how long to wait is never left out, or it would be the usual 50 seconds.
  const needed = entries.map(([key]) => key).filter((key) => required.includes(key) || waits.test(key));
  return fc.record(model, { requiredKeys: needed });
}

const asText = (value: unknown) => (typeof value === "object" ? JSON.stringify(value) : String(value));
const json = { "content-type": "application/json" };

function requestsTo(path: string, method: string, operation: unknown): fc.Arbitrary<Sent> {
  const { parameters = [], requestBody } = operation as {
    parameters?: Parameter[];
    requestBody?: { content: { "application/json": { schema: Schema } } };
  };
  const inPath = parameters.filter((one) => one.in === "path");
  const inQuery = parameters.filter((one) => one.in === "query");
  const ofPlace = (list: Parameter[]) =>
    fieldsOf({ properties: Object.fromEntries(list.map(({ name, schema }) => [name, schema])) });
  const body = requestBody
    ? fieldsOf(requestBody.content["application/json"].schema)
    : fc.constant(undefined);
  const places = fc.record(
    Object.fromEntries(inPath.map(({ name, schema }) => [name, odd(schema, name)])) as Record<
      string,
      fc.Arbitrary<unknown>
    >,
  );
  const raw = fc.oneof(
    { weight: 15, arbitrary: fc.constant(undefined) },
    {
      weight: 1,
      arbitrary: fc.oneof(fc.constantFrom(...bodies.map(([, one]) => one!)), fc.json(), fc.string()),
    },
  );
  return fc.tuple(places, ofPlace(inQuery), body, raw).map(([place, query, fields, instead]) => {
    const wellFormed = (value: string) => encodeURIComponent(value.toWellFormed());
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => wellFormed(asText(place[name])) || "%20");
    const asked = Object.entries(query).map(([key, value]) => `${key}=${wellFormed(asText(value))}`);
    const text = method === "get" ? undefined : (instead ?? JSON.stringify(fields));
    return {
      method: method.toUpperCase(),
      address: asked.length ? `${filled}?${asked.join("&")}` : filled,
      headers: method === "get" ? {} : json,
      ...(text !== undefined && { body: text }),
    };
  });
}

const envelope = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "fuzz", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

function callsOf(name: string, inputSchema: Schema): fc.Arbitrary<Sent> {
  return fieldsOf(inputSchema).map((args) => ({
    method: "POST",
    address: "/mcp?agent=w",
    headers: {
      ...json,
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": name,
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name, arguments: args, _meta: envelope },
    }),
  }));
}

const requests: fc.Arbitrary<Sent> = fc.oneof(
  ...Object.entries(openapi.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => requestsTo(path, method, operation)),
  ),
  ...Object.values(tools).map(({ name, inputSchema }) => callsOf(name, inputSchema as Schema)),
);

/** A tool's answer is a result of the protocol's with something in it, or one of its errors. */
function toolProblem(status: number, body: string): string | undefined {
  if (status >= 500) return `${status}: ${body}`;
  const data = /^data: (.*)$/m.exec(body)?.[1] ?? body;
  const { result, error } = JSON.parse(data) as {
    result?: { isError?: boolean; content?: unknown[]; structuredContent?: { error?: { code?: string } } };
    error?: { code?: number; message?: string };
  };
  if (error)
    return Number.isInteger(error.code) && error.message ? undefined : `no error of the protocol's: ${body}`;
  if (!result?.content?.length) return `no result: ${body}`;
  const { code } = result.structuredContent?.error ?? {};
  if (result.isError && !code) return `a refusal without a code: ${body}`;
  return result.isError && (code === "internal" || code === "storage") ? `${code}: ${body}` : undefined;
}

async function problemWith(
  hub: TestHub,
  { method, address, headers, body }: Sent,
): Promise<string | undefined> {
  const path = address.replace(/\?.*/s, "");
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(), patienceMs);
  try {
    const response = await fetch(hub.url + address, { method, headers, body, signal: ending.signal });
    const type = response.headers.get("content-type");
    // A stream goes on for as long as one listens; that it began is all there is to see.
    if (type === "text/event-stream" && path !== "/mcp") return void ending.abort();
    const text = await response.text();
    if (path === "/mcp") return toolProblem(response.status, text);
    return problemOf({
      method,
      path: new URL(hub.url + address).pathname,
      status: response.status,
      type,
      text,
    });
  } catch (error) {
    if (!ending.signal.aborted) return `no answer: ${error}`;
    return mayWait.test(`${path} ${body ?? ""}`) ? undefined : `no answer within ${patienceMs / 1000} s`;
  } finally {
    clearTimeout(timer);
  }
}

interface Campaign {
  seed: number;
  /** For how long, and how many at most. */
  ms?: number;
  runs?: number;
}

/** Sends one request after the other, and shortens what fails for as long again at most. */
export async function fuzz(
  hub: TestHub,
  { seed, ms, runs = Number.MAX_SAFE_INTEGER }: Campaign,
): Promise<Found> {
  let count = 0;
  const property = fc.asyncProperty(requests, async (sent) => {
    count++;
    const problem = await problemWith(hub, sent);
    if (problem) throw new Error(problem);
  });
  const { failed, counterexample, errorInstance } = await fc.check(property, {
    seed,
    numRuns: runs,
    ...(ms !== undefined && { interruptAfterTimeLimit: ms, markInterruptAsFailure: false }),
  });
  if (!failed || !counterexample) return { requests: count };
  const [{ method, address, headers, body }] = counterexample as [Sent];
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const request = [`${method} ${address}`, ...head, "", body ?? ""].join("\n");
  const why = (errorInstance as Error | undefined)?.message ?? "";
  return {
    requests: count,
    problem: `seed ${seed}, after ${count} requests:\n${why}\n\nThe shortest that fails:\n${request}`,
  };
}
