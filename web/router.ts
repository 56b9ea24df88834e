/**
 * Where the page is: a tab, what is open in it, and the filters of its list. The address says all of it, so that a reload
 * and a link lead to the same.
 */
import { computed, signal } from "@preact/signals";

export const tabs = ["inbox", "overview", "agents", "threads", "queue", "channels", "dead-letters"] as const;
export type Tab = (typeof tabs)[number];

const address = signal(location.pathname);
const search = signal(location.search);
addEventListener("popstate", () => {
  address.value = location.pathname;
  search.value = location.search;
});

export interface Place {
  tab: Tab;
  /** What is open in the tab. */
  id?: string;
}

export const place = computed<Place>(() => {
  const [tab, id] = address.value.slice(1).split("/");
  const known = tabs.find((one) => one === tab) ?? "inbox";
  return { tab: known, ...(id && { id: decoded(id) }) };
});

/** The filters of the list that is shown. */
export const query = computed(() => new URLSearchParams(search.value));

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export const pathOf = ({ tab, id }: Place) =>
  id === undefined ? (tab === "inbox" ? "/" : `/${tab}`) : `/${tab}/${encodeURIComponent(id)}`;

/** The filters that each tab had when it was left. */
const left = new Map<Tab, string>();

/** `replace`: not worth a step back, as when skimming through a list. */
export function go(next: Place, { replace = false } = {}): void {
  const { tab } = place.peek();
  if (next.tab !== tab) left.set(tab, search.peek());
  const filters = next.tab === tab ? search.peek() : (left.get(next.tab) ?? "");
  move(pathOf(next), filters, replace);
}

/** Other filters for the list that is shown; undefined or "" removes one. */
export function setQuery(change: Record<string, string | undefined>): void {
  const next = new URLSearchParams(search.peek());
  for (const [name, value] of Object.entries(change))
    if (value) next.set(name, value);
    else next.delete(name);
  move(location.pathname, next.size ? `?${next}` : "", false);
}

/** Whether the last step took the place of the one before it: the person walks through a list. */
let replaced = false;
export const skimming = () => replaced;

function move(path: string, filters: string, replace: boolean): void {
  if (path === location.pathname && filters === location.search) return;
  replaced = replace;
  if (replace) history.replaceState(null, "", path + filters);
  else history.pushState(null, "", path + filters);
  address.value = path;
  search.value = filters;
}
