/** The person's inbox: the entries that are loaded, newest first, under the filter that is chosen. */
import { signal } from "@preact/signals";
import type { Entry } from "../../src/contract/entry.ts";
import type { Event } from "../../src/contract/event.ts";
import { api } from "./api.ts";
import { onEvent } from "./live.ts";
import { type Pages, pagedStore } from "./pages.ts";

export type { Entry };

export interface Filter {
  workspaceId?: string;
  unread?: boolean;
}

const firstPage = 100;
const laterPages = 200;

export const entries = pagedStore<Entry, Filter>({
  filter: {},
  async fetch(filter, { before }) {
    const { entries: items, hasMore } = await api.entries.history({
      ...filter,
      limit: before ? laterPages : firstPage,
      ...(before && { before: before.id }),
    });
    return { items, hasMore };
  },
  merge: withNews,
  changedBy: ({ eventType, payload }) =>
    /^entry\.(pushed|restored)$/.test(eventType) || (!(eventType in patches) && payload.to === "user"),
});

/** The first page as it is now, and what is known below it. If nothing of it is known, the list begins anew. */
function withNews(page: Pages<Entry>, known: Pages<Entry> | undefined): Pages<Entry> {
  if (!known) return page;
  const there = new Set(known.items.map(({ id }) => id));
  const fresh = page.items.filter(({ id }) => !there.has(id));
  if (fresh.length === page.items.length && page.hasMore) return page;
  const current = new Map(page.items.map((entry) => [entry.id, entry]));
  const rest = known.items.map((entry) => current.get(entry.id) ?? entry);
  return { items: merged(fresh, rest), hasMore: known.hasMore };
}

/** Newest first; what was restored finds its old place. */
function merged(fresh: readonly Entry[], rest: readonly Entry[]): Entry[] {
  if (!rest.length || fresh.every(({ ts }) => ts >= rest[0]!.ts)) return [...fresh, ...rest];
  return [...fresh, ...rest].sort((a, b) => b.ts - a.ts);
}

const updateItems = (change: (items: readonly Entry[]) => readonly Entry[]) =>
  entries.update((known) => ({ ...known, items: change(known.items) }));

export function patch(ids: ReadonlySet<string>, change: Partial<Entry>): void {
  const patched = (entry: Entry) => (ids.has(entry.id) ? { ...entry, ...change } : entry);
  updateItems((items) => items.map(patched));
  if (opened.peek()) opened.value = patched(opened.peek()!);
}

export const drop = (ids: ReadonlySet<string>) =>
  updateItems((items) => items.filter(({ id }) => !ids.has(id)));

export const putBack = (back: readonly Entry[]) =>
  updateItems((items) => {
    const there = new Set(items.map(({ id }) => id));
    return merged(
      back.filter(({ id }) => !there.has(id)),
      items,
    );
  });

/** The entry that was opened last. It may be outside the list: an older one, or one that the filter leaves out. */
export const opened = signal<Entry | undefined>(undefined);

export const find = (id: string | undefined): Entry | undefined =>
  entries.value.value?.items.find((entry) => entry.id === id) ??
  (opened.value?.id === id ? opened.value : undefined);

/** An entry with its workspace and the state of its documents; it need not be in the list. */
export const fetchEntry = (id: string) => api.entries.show({ id });

/** What these events say is enough: nothing has to be loaded. */
const patches: Record<string, (ids: ReadonlySet<string>, event: Event) => void> = {
  "entry.read": (ids, { createdAt }) => patch(ids, { readAt: createdAt }),
  "entry.unread": (ids) => patch(ids, { readAt: null }),
  "entry.deleted": (ids) => drop(ids),
  "entry.answered": (ids, { createdAt }) => patch(ids, { answeredAt: createdAt }),
};

export function followEntries(): void {
  entries.follow();
  onEvent((event) => patches[event.eventType]?.(new Set([String(event.payload.entry)]), event));
}
