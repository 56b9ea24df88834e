/** Where the page is: a tab, and what is open in it. The address says it, so that a reload and a link lead to the same. */
import { computed, signal } from "@preact/signals";

export const tabs = ["inbox", "agents", "threads", "queue", "channels", "dead-letters"] as const;
export type Tab = (typeof tabs)[number];

const address = signal(location.pathname);
addEventListener("popstate", () => {
  address.value = location.pathname;
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

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export const pathOf = ({ tab, id }: Place) =>
  id === undefined ? (tab === "inbox" ? "/" : `/${tab}`) : `/${tab}/${encodeURIComponent(id)}`;

/** `replace`: not worth a step back, as when skimming through a list. */
export function go(next: Place, { replace = false } = {}): void {
  const path = pathOf(next);
  if (path === location.pathname) return;
  if (replace) history.replaceState(null, "", path);
  else history.pushState(null, "", path);
  address.value = path;
}
