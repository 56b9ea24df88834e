/** A request's input: path, query and body, as an operation's fields. */

import { fromText } from "../../contract/coerce.ts";
import { hinted, InboxError } from "../../contract/errors.ts";
import { type Field, fieldsOf } from "../../contract/fields.ts";
import type { AnyOperation } from "../../contract/operation.ts";
import { tokensOwner } from "../../contract/token.ts";
import { isJson } from "./browsers.ts";

/** A body of 1 MiB may be six times as long once its characters are escaped. */
const bodyLimit = 8 * 1024 * 1024;
const depthLimit = 64;

const invalid = (message: string, hint?: string) => new InboxError("invalid_input", message, { hint });

export interface RoutedRequest extends Request {
  params: Record<string, string>;
}

/** `body`: what `jsonBody` has read of it; it becomes a part of the input. */
export function inputOf(
  op: AnyOperation,
  request: RoutedRequest,
  body: Record<string, unknown> = {},
): Record<string, unknown> {
  wellEncoded(request.url);
  const query = request.url.indexOf("?");
  if (query < 0 && isEmpty(request.params)) return body;
  return withTexts(op, request, body);
}

const isEmpty = (params: object) => {
  for (const _ in params) return false;
  return true;
};

const described = new WeakMap<AnyOperation, Map<string, Field>>();

/** Described once: anew for each field of each request it was eighty objects of a long poll, half of what handling one left behind. */
function fieldsByKey(op: AnyOperation): Map<string, Field> {
  const known = described.get(op) ?? new Map(fieldsOf(op.input()).map((field) => [field.key, field]));
  described.set(op, known);
  return known;
}

/** Adds what the address says. */
function withTexts(
  op: AnyOperation,
  request: RoutedRequest,
  input: Record<string, unknown>,
): Record<string, unknown> {
  const fields = fieldsByKey(op);
  const fieldOf = (key: string) => fields.get(key);
  const given = (key: string, text: string) => {
    const field = fieldOf(key);
    try {
      input[key] = field ? fromText(field, text) : text;
    } catch {
      throw invalid(`${key} is not JSON`);
    }
  };
  const query = request.url.indexOf("?");
  const asked = query < 0 ? [] : new URLSearchParams(request.url.slice(query + 1));
  for (const [key, text] of asked) {
    // [X9] A page of another site can send any URL, but no JSON body.
    if (request.method !== "GET")
      throw invalid(`${key} is in the query of a ${request.method} request`, "send it in the body, as JSON");
    if (key in input) throw invalid(`${key} was given twice`);
    // Forms and clients send an empty value for a field that was left out; only a flag may be given by its name alone.
    const field = fieldOf(key);
    if (text !== "" || !field || field.type === "flag") given(key, text);
  }
  for (const [key, text] of Object.entries(request.params)) {
    if (key === op.cli.identity && text === tokensOwner) continue;
    // An id in a body may be a number; in a path it is text with the same meaning.
    if (key in input && String(input[key]) !== text)
      throw invalid(`${key} is "${text}" in the path and something else in the body`);
    given(key, text);
  }
  return input;
}

/** What the operation takes, as the hint of an error that has no hint of its own. */
export function sayingFields(op: AnyOperation, error: unknown): unknown {
  if (!(error instanceof InboxError) || error.code !== "invalid_input") return error;
  const fields = fieldsOf(op.input()).map(({ key }) => key);
  return hinted(
    error,
    `${fields.length ? `the fields are ${fields.join(", ")}` : "there are no fields"}; /docs/api shows more`,
  );
}

export async function jsonBody(request: Request): Promise<Record<string, unknown>> {
  const length = request.headers.get("content-length");
  if (Number(length) > bodyLimit) throw tooLarge();
  const text = decoded(await (length === null ? bytesOf(request) : request.bytes()));
  if (text === "") return {};
  if (text.length > bodyLimit) throw tooLarge();
  const type = request.headers.get("content-type");
  if (!isJson(type))
    throw invalid(
      `the body's type is "${type ?? ""}", not application/json`,
      "send Content-Type: application/json",
    );
  if (tooDeep(text)) throw new InboxError("too_large", `the body is nested deeper than ${depthLimit} levels`);
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    throw invalid(`the body is not JSON: ${(error as Error).message}`);
  }
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw invalid("the body must be a JSON object");
  return body as Record<string, unknown>;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Reads a body without a length, up to the limit. */
async function bytesOf(request: Request): Promise<Uint8Array> {
  if (!request.body) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let total = 0;
  for await (const chunk of request.body) {
    total += chunk.length;
    if (total > bodyLimit) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The runtime silently turns invalid UTF-8 into U+FFFD; what was sent would be stored altered. */
function decoded(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw invalid("the body is not valid UTF-8 text");
  }
}

function wellEncoded(url: string): void {
  if (!url.includes("%")) return;
  try {
    decodeURIComponent(url);
  } catch {
    throw invalid("the address is not valid UTF-8 text");
  }
}

const tooLarge = () => new InboxError("too_large", `the body has more than ${bodyLimit} bytes`);

function tooDeep(text: string): boolean {
  let depth = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (quoted) {
      if (code === 0x5c) i++;
      else if (code === 0x22) quoted = false;
    } else if (code === 0x22) quoted = true;
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > depthLimit) return true;
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
  return false;
}
