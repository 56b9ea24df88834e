/** How many entries are unread and how many need the person: in all, and in each workspace. One request for all of it. */
import { computed, effect } from "@preact/signals";
import { unreadLimit } from "../../src/contract/entry.ts";
import type { OutputOf } from "../../src/contract/operations/index.ts";
import { api } from "./api.ts";
import { entries } from "./entries.ts";
import { store } from "./store.ts";
import { stuck } from "./stuck.ts";

type Counts = OutputOf<"entries.counts">;

export const shownCount = (count: number) => (count >= unreadLimit ? `${unreadLimit - 1}+` : String(count));

export const counts = store<Counts>({
  fetch: () => api.entries.counts({}),
  changedBy: ({ eventType, payload }) =>
    /^(entry|entries|workspace|thread)\./.test(eventType) || payload.to === "user",
});

const none = { unread: 0, needsYou: 0 };

export const unread = computed(() => counts.value.value?.unread ?? 0);
export const needsYou = computed(() => counts.value.value?.needsYou ?? 0);
/** With the person's work that is stuck. */
export const attention = computed(() => needsYou.value + stuck.value.length);
export const snoozed = computed(() => counts.value.value?.snoozed ?? 0);
export const countsOf = (workspaceId: string) =>
  counts.value.value?.workspaces.find((one) => one.workspaceId === workspaceId) ?? none;

/** Of what the list shows: with one workspace chosen, of that workspace. */
export const countsInList = computed(() => {
  const { workspaceId } = entries.filter.value;
  return workspaceId === undefined ? (counts.value.value ?? none) : countsOf(workspaceId);
});

/** A browser's timer holds no longer than this. */
const longestMs = 2 ** 31 - 1;

/** What was snoozed until a time comes back by itself, and causes no event. */
export function followWakes(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  effect(() => {
    clearTimeout(timer);
    const next = counts.value.value?.nextWake;
    if (!next) return;
    const inMs = Math.max(0, Date.parse(next) - Date.now()) + 200;
    timer = setTimeout(() => void Promise.all([counts.load(), entries.load()]), Math.min(longestMs, inMs));
  });
}
