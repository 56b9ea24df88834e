/** What can be done with all that is selected. */
import { Icon } from "../ui/icon.tsx";
import type { EntryActions } from "./actions.ts";
import { clearSelection, selected } from "./selection.ts";

export const SelectionBar = ({ done, read, unread, snooze, remove }: EntryActions) => (
  <div class="selection" role="toolbar" aria-label="Selected entries">
    <strong>{selected.value.size} selected</strong>
    {(
      [
        ["Done", done],
        ["Snooze", snooze],
        ["Mark read", read],
        ["Mark unread", unread],
        ["Delete", remove],
      ] as const
    ).map(([label, run]) => (
      <button key={label} type="button" class="button quiet" onClick={run}>
        {label}
      </button>
    ))}
    <button type="button" class="icon-button" aria-label="Clear the selection" onClick={clearSelection}>
      <Icon name="close" />
    </button>
  </div>
);
