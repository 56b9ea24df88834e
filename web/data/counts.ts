/** How many entries are unread: in all, and in each workspace. The hub counts to a thousand and no further. */
import { computed } from "@preact/signals";
import { unreadLimit } from "../../src/contract/entry.ts";
import { api } from "./api.ts";
import { entries } from "./entries.ts";
import { store } from "./store.ts";

interface Counts {
  all: number;
  byWorkspace: ReadonlyMap<string, number>;
}

export const shownCount = (count: number) => (count >= unreadLimit ? `${unreadLimit - 1}+` : String(count));

const unreadIn = async (workspaceId?: string) =>
  (await api.entries.history({ limit: 1, ...(workspaceId && { workspaceId }) })).unread;

export const counts = store<Counts>({
  async fetch() {
    const ids = (await api.workspaces.list({})).workspaces.map(({ workspaceId }) => workspaceId);
    const [all, ...each] = await Promise.all([unreadIn(), ...ids.map(unreadIn)]);
    return { all: all!, byWorkspace: new Map(ids.map((id, i) => [id, each[i]!])) };
  },
  changedBy: ({ eventType, payload }) =>
    /^(entry|entries|workspace)\./.test(eventType) || payload.to === "user",
});

export const unread = computed(() => counts.value.value?.all ?? 0);
export const unreadOf = (workspaceId: string) => counts.value.value?.byWorkspace.get(workspaceId) ?? 0;
/** Of what the list shows: with one workspace chosen, of that workspace. */
export const unreadInList = computed(() => {
  const { workspaceId } = entries.filter.value;
  return workspaceId === undefined ? unread.value : unreadOf(workspaceId);
});
