/** Around the list of entries: how many are unread, the filter, and what is shown where there are none. */
import { shownCount, unreadInList, unreadOf } from "../data/counts.ts";
import { entries } from "../data/entries.ts";
import { workspaces } from "../data/workspaces.ts";
import { Empty } from "../ui/empty.tsx";

export const UnreadCount = () =>
  unreadInList.value > 0 ? (
    <span class="count strong">
      {shownCount(unreadInList.value)}
      <span class="hidden"> unread</span>
    </span>
  ) : null;

export function FilterTools() {
  const { workspaceId, unread } = entries.filter.value;
  const choose = (next: { workspaceId?: string; unread?: boolean }) =>
    void entries.choose({
      ...(next.workspaceId && { workspaceId: next.workspaceId }),
      ...(next.unread && { unread: true }),
    });
  return (
    <>
      <select
        aria-label="Workspace"
        value={workspaceId ?? ""}
        onChange={(event) => choose({ workspaceId: event.currentTarget.value, unread })}
      >
        <option value="">All workspaces</option>
        {(workspaces.value.value ?? []).map((one) => {
          const count = unreadOf(one.workspaceId);
          return (
            <option key={one.workspaceId} value={one.workspaceId}>
              {one.label}
              {count > 0 ? ` (${shownCount(count)})` : ""}
            </option>
          );
        })}
      </select>
      <button
        type="button"
        class="button quiet chip"
        aria-pressed={unread === true}
        onClick={() => choose({ workspaceId, unread: !unread })}
      >
        Unread
      </button>
    </>
  );
}

export function NoEntries() {
  const { workspaceId, unread } = entries.filter.value;
  if (unread)
    return (
      <Empty icon="check" title="No unread entries">
        New entries appear here as they arrive.
      </Empty>
    );
  const workspace = workspaceId ?? workspaces.value.value?.[0]?.workspaceId;
  return (
    <Empty
      icon="inbox"
      title={workspaceId ? "No entries from this workspace yet" : "No entries yet"}
      command={
        workspace
          ? `inbox entries push ${workspace} --comments "Hello"`
          : 'inbox send user "Ready for your review"'
      }
    >
      {workspace
        ? "Agents push their work here with the tool inbox_push. To try it, push an entry yourself:"
        : "What agents push from their workspaces, and every message to user, appears here. To try it:"}
    </Empty>
  );
}

export const NothingOpen = () => (
  <Empty
    icon="inbox"
    title={unreadInList.value ? `${shownCount(unreadInList.value)} unread` : "No entry is open"}
  >
    <kbd>j</kbd> and <kbd>k</kbd> move through the list, <kbd>?</kbd> shows all keys.
  </Empty>
);
