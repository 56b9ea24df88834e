/** How much is unread: of all, and of each workspace. The hub counts to a thousand and no further. */
import { signal } from "@preact/signals";
import { unreadLimit } from "../../src/contract/entry.ts";
import { api } from "./api.ts";
import { coalesced } from "./coalesce.ts";
import { onEvent, onHealed } from "./live.ts";
import { workspaces } from "./workspaces.ts";

export const unread = signal(0);
export const unreadOf = signal<ReadonlyMap<string, number>>(new Map());

export const shownCount = (count: number) => (count >= unreadLimit ? `${unreadLimit - 1}+` : String(count));

export const recount = coalesced(async () => {
  const count = async (workspaceId?: string) =>
    (await api.entries.history({ limit: 1, ...(workspaceId && { workspaceId }) })).unread;
  unread.value = await count();
  const ids = workspaces.peek().map(({ workspaceId }) => workspaceId);
  const counts = await Promise.all(ids.map(count));
  unreadOf.value = new Map(ids.map((id, i) => [id, counts[i]!]));
});

export function followCounts(): void {
  const again = () => void recount().catch(() => {});
  onEvent(({ eventType, payload }) => {
    if (/^(entry|entries|workspace)\./.test(eventType) || payload.to === "user") again();
  });
  onHealed(again);
}
