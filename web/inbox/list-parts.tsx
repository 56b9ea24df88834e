/** Around the list of entries: how many there are, the filter, and what is shown where there are none. */
import { countsInList, countsOf, shownCount, snoozed } from "../data/counts.ts";
import { entries, holdList, type View, waiting } from "../data/entries.ts";
import { workspaces } from "../data/workspaces.ts";
import { setQuery } from "../router.ts";
import { Empty } from "../ui/empty.tsx";
import { Icon } from "../ui/icon.tsx";

/** Of what the list shows; where that is the archive, nothing is to be counted. */
export function Counts() {
  const { view, workspaceId } = entries.filter.value;
  const { unread, needsYou } = countsInList.value;
  if (view === "archive" || (view === "snoozed" && workspaceId !== undefined)) return null;
  const [count, noun] =
    view === "needs"
      ? [needsYou, "need you"]
      : view === "snoozed"
        ? [snoozed.value, "snoozed"]
        : [unread, "unread"];
  if (count === 0) return null;
  return (
    <span class="count strong">
      {shownCount(count)}
      <span class="hidden"> {noun}</span>
    </span>
  );
}

const viewNames: [View | "", string][] = [
  ["", "Inbox"],
  ["unread", "Unread"],
  ["needs", "Needs you"],
  ["snoozed", "Snoozed"],
  ["archive", "Archive"],
];

export function FilterTools() {
  const { workspaceId, view, day } = entries.filter.value;
  return (
    <>
      <select
        aria-label="Workspace"
        value={workspaceId ?? ""}
        onChange={(event) => setQuery({ workspace: event.currentTarget.value })}
      >
        <option value="">All workspaces</option>
        {(workspaces.value.value ?? []).map((one) => {
          const { unread } = countsOf(one.workspaceId);
          return (
            <option key={one.workspaceId} value={one.workspaceId}>
              {one.label}
              {unread > 0 ? ` (${shownCount(unread)})` : ""}
            </option>
          );
        })}
      </select>
      <select
        aria-label="Show"
        value={view ?? ""}
        onChange={(event) => setQuery({ show: event.currentTarget.value })}
      >
        {viewNames.map(([one, name]) => (
          <option key={one} value={one}>
            {name}
            {one === "snoozed" && snoozed.value > 0 ? ` (${snoozed.value})` : ""}
          </option>
        ))}
      </select>
      <label class="jump" title={day ? `Up to ${day}` : "Jump to a date"}>
        <Icon name="clock" />
        <span class="icon-label" aria-hidden="true">
          Date
        </span>
        <input
          type="date"
          aria-label="Jump to a date"
          value={day ?? ""}
          data-set={day !== undefined}
          onChange={(event) => setQuery({ day: event.currentTarget.value })}
        />
      </label>
    </>
  );
}

/** What has come while the pointer was over the list: it comes in when the pointer leaves, or when it is asked for. */
export const NewEntries = () => (
  <button type="button" class="new-entries" onClick={() => holdList(false)}>
    <Icon name="up" /> {waiting.value.size} new
  </button>
);

const emptyViews: Partial<Record<View, [title: string, text: string]>> = {
  unread: ["No unread entries", "New entries appear here as they arrive."],
  needs: ["Nothing needs you", "Open questions and failed work appear here."],
  snoozed: ["Nothing is snoozed", "Snoozed entries are kept here until they come back."],
  archive: ["The archive is empty", "Entries that you are done with are kept here."],
};

export function NoEntries() {
  const { workspaceId, view, day } = entries.filter.value;
  const none = view && emptyViews[view];
  if (none)
    return (
      <Empty icon="check" title={none[0]}>
        {none[1]}
      </Empty>
    );
  if (day)
    return (
      <Empty
        icon="inbox"
        title={`No entries up to ${day}`}
        action={{ label: "Show all", run: () => setQuery({ day: "" }) }}
      />
    );
  if (entries.value.value?.items.length)
    return (
      <Empty icon="check" title="All done">
        New entries appear here as they arrive. What you are done with is in the archive.
      </Empty>
    );
  return <FirstEntry workspaceId={workspaceId} />;
}

/** For whoever has just come: how the first entry gets here. */
function FirstEntry({ workspaceId }: { workspaceId?: string }) {
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

export function NothingOpen() {
  const { view } = entries.filter.value;
  const { unread, needsYou } = countsInList.value;
  const parts =
    view === "archive" || view === "snoozed"
      ? []
      : [
          needsYou && `${shownCount(needsYou)} ${needsYou === 1 ? "needs" : "need"} you`,
          unread && `${shownCount(unread)} unread`,
        ];
  return (
    <Empty icon="inbox" title={parts.filter(Boolean).join(", ") || "No entry is open"}>
      <kbd>j</kbd> and <kbd>k</kbd> move through the list, <kbd>e</kbd> is done, <kbd>?</kbd> shows all keys.
    </Empty>
  );
}
