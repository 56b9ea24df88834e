/** The bus as the person sees it: our own client, called as `user` or as whom the token speaks for. */
import { signal } from "@preact/signals";
import { person } from "../../src/contract/entry.ts";
import { clientHeader } from "../../src/contract/headers.ts";
import { type Spelling, spelled } from "../../src/contract/phrase.ts";
import { type ErrorCode, Inbox, type InboxError } from "../../src/sdk/client.ts";
import { observed } from "./line.ts";

const key = "inbox-token";
const token = sessionStorage.getItem(key) ?? localStorage.getItem(key) ?? undefined;

/** Why the hub refuses every request; undefined while it does not. */
export const locked = signal<string | undefined>();

export async function send(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set(clientHeader, "page");
  if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
  const response = await observed(path, { ...init, headers });
  if (response.status === 401)
    locked.value =
      token === undefined ? "This hub requires a token." : "This token is unknown or was revoked.";
  return response;
}

export const api: Inbox = await Inbox.open(location.origin, {
  ...(token === undefined ? { agent: person } : { token }),
  fetch: send,
});

/** The person, by whose name the page acts. */
export const me = person;

/** A link that the browser opens by itself carries no token. */
export const hasToken = token !== undefined;

export function unlock(given: string, keep: boolean): void {
  forget();
  (keep ? localStorage : sessionStorage).setItem(key, given);
  location.reload();
}

export function forget(): void {
  sessionStorage.removeItem(key);
  localStorage.removeItem(key);
}

export interface Problem {
  message: string;
  hint: string;
  code?: string;
}

/** What a person at the page can do about it; the hub's hints are for whoever called an operation. */
const hints: Partial<Record<ErrorCode, string>> = {
  not_allowed: "Your token does not permit this. Open the page with a token that does.",
  busy: "Nothing was changed. Try again.",
  internal: "This is a bug in Restante. Nothing was changed.",
};

/** What the hub says begins in lower case; on the page it stands alone. */
export const asSentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** [C14] The page has buttons, and no operations to be called by name: hints that only name those are left out. */
const onPage: Spelling = (reference) => (reference.is === "field" ? reference.name : undefined);

export function problemOf(error: unknown): Problem {
  const { message, hint: spelt = "", said, code } = error as Partial<InboxError>;
  const hint = said ? spelled(said.hint, onPage) : spelt;
  return {
    message: asSentence(message ?? String(error)),
    hint: asSentence((code && hints[code]) ?? hint),
    code,
  };
}
