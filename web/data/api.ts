/** The bus as the person sees it: our own client, called as `user` or as whom the token speaks for. */
import { signal } from "@preact/signals";
import { Inbox, type InboxError } from "../../src/client.ts";
import { clientHeader } from "../../src/contract/headers.ts";
import { type Spelling, spelled } from "../../src/contract/phrase.ts";
import { observed } from "./line.ts";

const key = "inbox-token";
const token = sessionStorage.getItem(key) ?? localStorage.getItem(key) ?? undefined;

/** Why the hub does not let us in, while it does not. */
export const locked = signal<string | undefined>();

export async function send(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set(clientHeader, "page");
  if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
  const response = await observed(path, { ...init, headers });
  if (response.status === 401)
    locked.value = token === undefined ? "This hub wants a token." : "The token is unknown or was revoked.";
  return response;
}

export const api: Inbox = await Inbox.open(location.origin, {
  ...(token === undefined ? { agent: "user" } : { token }),
  fetch: send,
});

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

/** [C14] The page has buttons, and no operations to be called by name: hints that only name those are left out. */
const onPage: Spelling = (reference) => (reference.is === "field" ? reference.name : undefined);

export const problemOf = (error: unknown): Pick<InboxError, "message" | "hint"> & { code?: string } => {
  const { message, hint = "", said, code } = error as Partial<InboxError>;
  return { message: message ?? String(error), hint: said ? spelled(said.hint, onPage) : hint, code };
};
