/** The person's inbox: the entries that are loaded, newest first, under the filter that the address names. */
import { batch, computed, effect, signal } from "@preact/signals";
import type { Entry } from "../../src/contract/entry.ts";
import type { Event } from "../../src/contract/event.ts";
import { place, query } from "../router.ts";
import { api } from "./api.ts";
import { onEvent } from "./live.ts";
import { isOvertaken, whenMissed } from "./own-writes.ts";
import { type Pages, pagedStore } from "./pages.ts";
import { store } from "./store.ts";

export type { Entry };

export const views = ["unread", "needs", "archive", "snoozed"] as const;
/** What of the inbox is shown; all of it where nothing is said. */
export type View = (typeof views)[number];

export interface Filter {
  workspaceId?: string;
  view?: View;
  /** Not newer than the end of this day, as `2026-05-18`. */
  day?: string;
}

/** The filter that the address names. */
export const chosenFilter = (): Filter => {
  const [workspaceId, view, day] = ["workspace", "show", "day"].map((name) => query.value.get(name));
  const known = views.find((one) => one === view);
  return { ...(workspaceId && { workspaceId }), ...(known && { view: known }), ...(day && { day }) };
};

const asked = ({ workspaceId, view }: Filter) => ({
  ...(workspaceId !== undefined && { workspaceId }),
  ...(view === "unread" && { unread: true }),
  ...(view === "needs" && { needsYou: true }),
  ...((view === "archive" || view === "snoozed") && { folder: view }),
});

const endOf = (day: string) => new Date(`${day}T23:59:59.999`).getTime();

const firstPage = 100;
const laterPages = 200;

export const entries = pagedStore<Entry, Filter>({
  filter: chosenFilter(),
  async fetch(filter, { before }) {
    const until = filter.day && Number.isFinite(endOf(filter.day)) ? String(endOf(filter.day)) : undefined;
    const from = before?.id ?? until;
    const { entries: items, hasMore } = await api.entries.history({
      ...asked(filter),
      limit: before ? laterPages : firstPage,
      ...(from && { before: from }),
    });
    return { items, hasMore };
  },
  merge: withNews,
  changedBy: ({ eventType, payload }) =>
    /^entry\.(pushed|restored|unarchived|unsnoozed)$/.test(eventType) ||
    (eventType === "entry.archived" && chosenFilter().view === "archive") ||
    (eventType === "entry.snoozed" && chosenFilter().view === "snoozed") ||
    (!(eventType in patches) && payload.to === "user"),
});

/** New entries that are kept out of the list, because they would move what is under the pointer. */
export const waiting = signal<ReadonlySet<string>>(new Set());
const held = signal(false);
/** What the person has brought back is nothing new. */
const broughtBack = new Set<string>();

/** While `yes`, nothing comes into the list by itself. */
export function holdList(yes: boolean): void {
  held.value = yes;
  if (!yes) waiting.value = new Set();
}

const asleep = ({ snoozedAt, snoozedUntil }: Entry) =>
  snoozedAt !== null && (snoozedUntil === null || Date.parse(snoozedUntil) > Date.now());

/** Whether it is still where the list shows things from: it may have been archived or snoozed since. */
const belongs = (entry: Entry, view: View | undefined) =>
  view === "archive"
    ? entry.archivedAt !== null
    : entry.archivedAt === null &&
      asleep(entry) === (view === "snoozed") &&
      (view !== "needs" || entry.needs !== null);

/** The list as it is shown. */
export const shownEntries = computed(() => {
  const { view } = entries.filter.value;
  return (entries.value.value?.items ?? []).filter(
    (entry) => belongs(entry, view) && !waiting.value.has(entry.id),
  );
});

/** The first page as it is now, and what is known below it. If nothing of it is known, the list begins anew. */
function withNews(page: Pages<Entry>, known: Pages<Entry> | undefined): Pages<Entry> {
  if (!known) return page;
  const there = new Set(known.items.map(({ id }) => id));
  const fresh = page.items.filter(({ id }) => !there.has(id));
  const news = fresh.filter(({ id }) => !broughtBack.has(id));
  if (held.peek()) waiting.value = new Set([...waiting.peek(), ...news.map(({ id }) => id)]);
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

/** What needs the person, also what is older than what the list has loaded. */
const needs = store<readonly Entry[]>({
  async fetch() {
    const { workspaceId } = entries.filter.peek();
    const asked = { needsYou: true, limit: 200, ...(workspaceId && { workspaceId }) };
    return (await api.entries.history(asked)).entries;
  },
});
export const needing = computed(() => {
  const { day } = entries.filter.value;
  const all = needs.value.value ?? [];
  return day ? all.filter(({ ts }) => !(ts > endOf(day))) : all;
});
/** Where the hub cannot be reached, the list itself says so. */
export const loadNeeding = () => needs.load();

/** While the page writes to entries, no older answer takes back what it shows. */
export function settling(write: Promise<unknown>): void {
  entries.settling(write);
  needs.settling(write);
}

const updateItems = (change: (items: readonly Entry[]) => readonly Entry[]) =>
  entries.update((known) => ({ ...known, items: change(known.items) }));

/** Changes entries wherever they are shown. */
function patchWhere(fits: (entry: Entry) => boolean, change: (entry: Entry) => Partial<Entry>): void {
  const patched = (entry: Entry) => (fits(entry) ? { ...entry, ...change(entry) } : entry);
  batch(() => {
    updateItems((items) => items.map(patched));
    needs.update((items) => items.map(patched));
    if (opened.peek()) opened.value = patched(opened.peek()!);
  });
}

export const patch = (ids: ReadonlySet<string>, change: Partial<Entry>) =>
  patchWhere(
    ({ id }) => ids.has(id),
    () => change,
  );

export function drop(ids: ReadonlySet<string>): void {
  updateItems((items) => items.filter(({ id }) => !ids.has(id)));
  needs.update((items) => items.filter(({ id }) => !ids.has(id)));
}

/** Shown at once, also where an answer of the hub has brought it back first, as something new that waits to be shown. */
export function putBack(back: readonly Entry[]): void {
  const ids = new Set(back.map(({ id }) => id));
  for (const id of ids) broughtBack.add(id);
  waiting.value = new Set([...waiting.peek()].filter((id) => !ids.has(id)));
  updateItems((items) => {
    const there = new Set(items.map(({ id }) => id));
    return merged(
      back.filter(({ id }) => !there.has(id)),
      items,
    );
  });
}

/** The entry that was opened last. It may be outside the list: an older one, or one that the filter leaves out. */
export const opened = signal<Entry | undefined>(undefined);

export const find = (id: string | undefined): Entry | undefined =>
  entries.value.value?.items.find((entry) => entry.id === id) ??
  needing.value.find((entry) => entry.id === id) ??
  (opened.value?.id === id ? opened.value : undefined);

/** An entry with its workspace and the state of its documents; it need not be in the list. */
export const fetchEntry = (id: string) => api.entries.show({ id });

type Patch = (event: Event) => (entry: Entry) => Partial<Entry>;
const always =
  (change: (event: Event) => Partial<Entry>): Patch =>
  (event) =>
  () =>
    change(event);
const awake = { snoozedAt: null, snoozedUntil: null };

/** What these events say is enough: nothing has to be loaded. */
const patches: Record<string, Patch> = {
  "entry.read": always(({ createdAt }) => ({ readAt: createdAt })),
  "entries.read": always(({ createdAt }) => ({ readAt: createdAt })),
  "entry.unread": always(() => ({ readAt: null })),
  "entry.archived": always(({ createdAt }) => ({ archivedAt: createdAt, ...awake })),
  "entry.unarchived": always(() => ({ archivedAt: null })),
  "entry.snoozed": always(({ createdAt, payload }) => ({
    snoozedAt: createdAt,
    snoozedUntil: (payload.until ?? null) as string | null,
    archivedAt: null,
  })),
  "entry.unsnoozed": always(() => awake),
  "entry.answered":
    ({ createdAt, source, payload }) =>
    (entry) => ({
      needs: null,
      ...((payload.changed || entry.answeredAt === null) && {
        answeredAt: createdAt,
        answeredBy: source,
        answer: (payload.answer ?? null) as string | null,
      }),
    }),
};

const endsThread = /^thread\.(done|failed|cancelled|reassigned)$/;

function take(event: Event): void {
  const { eventType, payload, threadId } = event;
  const named = (payload.entries as string[] | undefined) ?? [String(payload.entry)];
  const ids = new Set(named.filter((id) => !isOvertaken(id, eventType)));
  if (eventType === "entry.deleted") drop(ids);
  const change = patches[eventType]?.(event);
  if (change) patchWhere(({ id }) => ids.has(id), change);
  // What a thread had asked need not be answered once it is over.
  if (endsThread.test(eventType))
    patchWhere(
      (entry) => entry.threadId === threadId && entry.needs === "answer",
      () => ({ needs: null }),
    );
}

export function followEntries(): void {
  entries.follow();
  onEvent(take);
  whenMissed(() => void entries.load());
  effect(() => {
    if (place.value.tab !== "inbox") return;
    const next = chosenFilter();
    if (JSON.stringify(next) === JSON.stringify(entries.filter.peek())) return;
    needs.reset();
    waiting.value = new Set();
    void entries.choose(next);
  });
}
