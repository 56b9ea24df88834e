/**
 * [X9] Requests from browsers. Any page that a person visits can make their browser send requests to this machine: by
 * a form, an image, a script, a redirect. A page cannot change what the browser says about itself (Origin,
 * Sec-Fetch-*), and what a page may send without a preflight is limited: no JSON, no custom header.
 */
import { InboxError } from "../../contract/errors.ts";
import { clientHeader, handOverHeader } from "../../contract/headers.ts";
import { blank, field, phrase } from "../../contract/phrase.ts";

/** `link`: another site may link here. `anybody`: the same answer for everyone, without anybody's data. */
export type Visit = "link" | "anybody";

/** Headers that a page of another site cannot send without a preflight. The session id is a header of MCP clients. */
const ownHeaders = [clientHeader, handOverHeader, "mcp-session-id"];

const jsonType = /^application\/([\w.+-]*\+)?json\s*(;|$)/i;
let lastJson: string | null = null; // usually all requests say the same

export function isJson(type: string | null): boolean {
  if (type === null) return false;
  if (type === lastJson) return true;
  const json = jsonType.test(type);
  if (json) lastJson = type;
  return json;
}

/** Whether an Origin is this hub's own. `named`: the origins of a proxy in front of it. */
function isOwnOrigin(origin: string, host: string, named: (place: string) => boolean): boolean {
  const found = /^(https?):\/\/([^/?#@\s]+)$/i.exec(origin);
  if (!found) return false;
  const [, scheme, place] = found as unknown as [string, "http" | "https", string];
  const port = scheme.toLowerCase() === "https" ? "443" : "80";
  const whole = (text: string) => (/:\d+$/.test(text) ? text : `${text}:${port}`).toLowerCase();
  return whole(place) === whole(host) || named(whole(place));
}

/** Refuses requests from pages of another origin, including another port of this machine. */
export function refuseForeign(
  request: Request,
  host: string,
  named: (place: string) => boolean,
  visit?: Visit,
): void {
  const origin = request.headers.get("origin");
  if (origin !== null && !isOwnOrigin(origin, host, named))
    throw refuse(`requests from pages of ${origin} are not allowed`);
  const site = request.headers.get("sec-fetch-site");
  if (site === null || site === "same-origin" || site === "none") return;
  // Images and links come without an Origin: a link may be followed, to a page and in a window.
  const follows = visit === "link" && isNavigation(request);
  if (!follows) throw refuse("requests from pages of other origins are not allowed");
}

const isNavigation = ({ headers }: Request) =>
  headers.get("sec-fetch-mode") === "navigate" &&
  (headers.get("sec-fetch-dest") ?? "document") === "document";

/** Refuses a change that a form, an image or a `no-cors` fetch of any page could have requested. */
export function refuseUnasked({ method, headers }: Request): void {
  if (isJson(headers.get("content-type")) || ownHeaders.some((name) => headers.has(name))) return;
  throw new InboxError(
    "invalid_input",
    `this ${method} was refused: a web page of any other site could have sent it`,
    {
      hint: `send Content-Type: application/json, or the header ${clientHeader}`,
    },
  );
}

/**
 * Refuses a GET that would collect mail if a browser sends it by itself: typed, redirected, or as part of a page.
 * Sec-Fetch-Mode alone does not identify a browser: the fetch of Node sends it, too.
 */
export function refuseUnknowingly({ headers }: Request): void {
  const browser =
    headers.has("sec-fetch-site") ||
    headers.has("sec-fetch-dest") ||
    /^mozilla\//i.test(headers.get("user-agent") ?? "");
  if (!browser || ownHeaders.some((name) => headers.has(name))) return;
  throw new InboxError(
    "not_allowed",
    "this route collects mail, and a browser requested it from outside the hub's page",
    {
      hint: `the hub's page sends the header ${clientHeader}; other programs do not need it`,
    },
  );
}

const refuse = (message: string) =>
  new InboxError("not_allowed", message, {
    hint: phrase`open the page at the hub's own address; behind a proxy, start the hub with ${field("allowHost", blank("NAME"), "bus.serve")} or NAME:PORT`,
  });
