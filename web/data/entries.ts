/** The person's inbox: the entries that are loaded, newest first, under the filter that is chosen. */
import { batch, signal } from "@preact/signals";
import type { Entry } from "../../src/contract/entry.ts";
import type { Event } from "../../src/contract/event.ts";
import { api, problemOf } from "./api.ts";
import { coalesced } from "./coalesce.ts";
import { onEvent, onHealed } from "./live.ts";

export type { Entry };

export interface Filter {
  workspaceId?: string;
  unread?: boolean;
}

const pageSize = 100;

export const filter = signal<Filter>({});
export const entries = signal<readonly Entry[]>([]);
export const hasMore = signal(false);
/** `undefined` until the first page is there. */
export const problem = signal<ReturnType<typeof problemOf> | undefined>();
export const loaded = signal(false);
/** An older answer must not replace a newer one, nor one for another filter. */
let turn = 0;

export async function load(): Promise<void> {
  const mine = ++turn;
  try {
    const page = await api.entries.history({ ...filter.peek(), limit: pageSize });
    if (mine !== turn) return;
    batch(() => {
      entries.value = page.entries;
      hasMore.value = page.hasMore;
      loaded.value = true;
      problem.value = undefined;
    });
  } catch (error) {
    if (mine === turn) problem.value = problemOf(error);
  }
}

export function choose(next: Filter): Promise<void> {
  filter.value = next;
  loaded.value = false;
  return load();
}

export const loadMore = coalesced(async () => {
  const mine = turn;
  const oldest = entries.peek().at(-1);
  if (!hasMore.peek() || !oldest) return;
  const page = await api.entries.history({ ...filter.peek(), limit: 200, before: oldest.id });
  if (mine !== turn) return;
  batch(() => {
    entries.value = [...entries.peek(), ...page.entries];
    hasMore.value = page.hasMore;
  });
});

/** What is newer than the newest we have. If there is more of it than a page, the list begins anew. */
const loadNews = coalesced(async () => {
  if (!loaded.peek()) return;
  const mine = turn;
  const page = await api.entries.history({ ...filter.peek(), limit: pageSize });
  if (mine !== turn) return;
  const known = new Map(entries.peek().map((entry) => [entry.id, entry]));
  const fresh = page.entries.filter(({ id }) => !known.has(id));
  const joined = fresh.length < page.entries.length || !page.hasMore;
  const seen = new Map(page.entries.map((entry) => [entry.id, entry]));
  batch(() => {
    if (joined) {
      const rest = entries.peek().map((entry) => seen.get(entry.id) ?? entry);
      entries.value = merged(fresh, rest);
    } else {
      entries.value = page.entries;
      hasMore.value = page.hasMore;
    }
  });
});

/** Newest first; what was restored finds its old place. */
function merged(fresh: readonly Entry[], rest: readonly Entry[]): Entry[] {
  if (!rest.length || fresh.every(({ ts }) => ts >= rest[0]!.ts)) return [...fresh, ...rest];
  return [...fresh, ...rest].sort((a, b) => b.ts - a.ts);
}

export function patch(ids: ReadonlySet<string>, change: Partial<Entry>): void {
  entries.value = entries.peek().map((entry) => (ids.has(entry.id) ? { ...entry, ...change } : entry));
}

export function drop(ids: ReadonlySet<string>): void {
  entries.value = entries.peek().filter(({ id }) => !ids.has(id));
}

export function putBack(back: readonly Entry[]): void {
  const there = new Set(entries.peek().map(({ id }) => id));
  entries.value = merged(
    back.filter(({ id }) => !there.has(id)),
    entries.peek(),
  );
}

export const find = (id: string | undefined) => entries.value.find((entry) => entry.id === id);

/** An entry with its workspace and the state of its documents; it need not be in the list. */
export const fetchEntry = (id: string) => api.entries.show({ id });

const idsIn = ({ payload }: Event) => new Set([String(payload.entry)]);

function follow(event: Event): void {
  switch (event.eventType) {
    case "entry.read":
      patch(idsIn(event), { readAt: event.createdAt });
      return;
    case "entry.unread":
      patch(idsIn(event), { readAt: null });
      return;
    case "entry.deleted":
      drop(idsIn(event));
      return;
    case "entry.answered":
      patch(idsIn(event), { answeredAt: event.createdAt });
      return;
    case "entry.pushed":
    case "entry.restored":
      void loadNews().catch(() => {}); // the line is down: what was missed comes when it is back
      return;
    default:
      if (event.payload.to === "user") void loadNews().catch(() => {});
  }
}

export function followEntries(): void {
  onEvent(follow);
  onHealed(() => void (loaded.peek() ? loadNews() : load()).catch(() => {}));
}
