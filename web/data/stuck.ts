/**
 * [U11] Work that the person has given somebody and that is stuck: its lease has lapsed, so that probably nobody works on it.
 * A lease lapses without an event.
 */
import { computed, effect, signal } from "@preact/signals";
import { activeStatuses } from "../../src/contract/thread.ts";
import { api, me } from "./api.ts";
import { store } from "./store.ts";

const held = store({
  fetch: () => api.threads.list({ createdBy: me, status: [...activeStatuses], leases: true, limit: 200 }),
  changedBy: ({ eventType }) => eventType.startsWith("thread."),
  everyMs: 1000,
});

const now = signal(Date.now());

export const stuck = computed(() => {
  const { threads = [], leases = [] } = held.value.value ?? {};
  const holders = new Map(
    leases.flatMap(({ threadId, agentId, expiresAt, lapsed }) =>
      lapsed || Date.parse(expiresAt) <= now.value ? [[threadId, agentId]] : [],
    ),
  );
  return threads.flatMap((thread) => {
    const holder = holders.get(thread.threadId);
    // One that is blocked waits for an answer, and its question says so.
    return holder === undefined || thread.status === "blocked" ? [] : [{ ...thread, holder }];
  });
});

/** A browser's timer holds no longer than this. */
const longestMs = 2 ** 31 - 1;

export function followStuck(): void {
  held.follow();
  let timer: ReturnType<typeof setTimeout> | undefined;
  effect(() => {
    clearTimeout(timer);
    const ends = (held.value.value?.leases ?? [])
      .map(({ expiresAt }) => Date.parse(expiresAt))
      .filter((end) => end > now.value);
    if (!ends.length) return;
    const left = Math.min(...ends) - Date.now() + 50;
    timer = setTimeout(
      () => {
        now.value = Date.now();
      },
      Math.max(0, Math.min(longestMs, left)),
    );
  });
}
