/**
 * [X9] Requests of browsers. Any page that a person looks at can make their browser send requests to this machine: a form,
 * an image, a script, a redirect. What the browser says about itself (Origin, Sec-Fetch-*) a page cannot change, and
 * what a page may send without being asked is a short list: no JSON, no header of our own.
 */
import { InboxError } from "../../contract/errors.ts";
import { clientHeader, handOverHeader } from "../../contract/headers.ts";
import { blank, field, phrase } from "../../contract/phrase.ts";

/** `link`: another site may lead here. `anybody`: the same for everyone, and nothing of anyone's in it. */
export type Visit = "link" | "anybody";

/** Its own, of a request that somebody else's page cannot send unasked. A session's id is a header of MCP's clients. */
const ownHeaders = [clientHeader, handOverHeader, "mcp-session-id"];

export const isJson = (type: string | null) => /^application\/([\w.+-]*\+)?json\s*(;|$)/i.test(type ?? "");

/** Whether an Origin is this hub's own. `named`: origins that a proxy in front of it is called by. */
export function isOwnOrigin(origin: string, host: string, named: (place: string) => boolean): boolean {
  const found = /^(https?):\/\/([^/?#@\s]+)$/i.exec(origin);
  if (!found) return false;
  const [, scheme, place] = found as unknown as [string, "http" | "https", string];
  const port = scheme.toLowerCase() === "https" ? "443" : "80";
  const whole = (text: string) => (/:\d+$/.test(text) ? text : `${text}:${port}`).toLowerCase();
  return whole(place) === whole(host) || named(whole(place));
}

/** Refuses what a page of another origin has sent, also one of this machine's on another port. */
export function refuseForeign(request: Request, ownOrigin: (origin: string) => boolean, visit?: Visit): void {
  const origin = request.headers.get("origin");
  if (origin !== null && !ownOrigin(origin)) throw refuse(`requests from pages of ${origin} are not allowed`);
  const site = request.headers.get("sec-fetch-site");
  if (site === null || site === "same-origin" || site === "none") return;
  // An image comes without an Origin, and so does a link: that one may be followed, to a page and in a window.
  const follows = visit === "link" && isNavigation(request);
  if (!follows) throw refuse("requests from pages of other origins are not allowed");
}

const isNavigation = ({ headers }: Request) =>
  headers.get("sec-fetch-mode") === "navigate" &&
  (headers.get("sec-fetch-dest") ?? "document") === "document";

/** Refuses a change that a form, an image or a `no-cors` fetch of any page could have asked for. */
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
 * Refuses a GET that would collect mail where a browser sends it by itself: typed, redirected to, or as part of a page.
 * Sec-Fetch-Mode alone is no sign of one: the fetch of Node sends it, too.
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
