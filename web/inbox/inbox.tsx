/** The inbox: entries by day on the left, what one says on the right. */
import { useMemo } from "preact/hooks";
import { type Entry, entries, find } from "../data/entries.ts";
import { markRead } from "../data/entry-actions.ts";
import { useStore } from "../data/store.ts";
import { useKeys } from "../keys.ts";
import { go, place } from "../router.ts";
import { useListKeys } from "../ui/list-keys.ts";
import { ListTab } from "../ui/list-tab.tsx";
import { idsOf, type Row } from "../ui/long-list.tsx";
import { dayLabel, dayStart } from "../ui/time.tsx";
import { inboxActions } from "./actions.ts";
import { EntryDetail } from "./entry-detail.tsx";
import { EntryRow } from "./entry-row.tsx";
import { FilterTools, NoEntries, NothingOpen, UnreadCount } from "./list-parts.tsx";
import { anchorAt, clearSelection, selected, selectTo, toggle } from "./selection.ts";
import { SelectionBar } from "./selection-bar.tsx";

/** The list as rows, a heading for each day. Entries are in order, so a day is looked up only where it changes. */
function rowsOf(list: readonly Entry[]): Row<Entry>[] {
  const rows: Row<Entry>[] = [];
  let from = Number.POSITIVE_INFINITY;
  for (const entry of list) {
    if (entry.ts < from) {
      from = dayStart(entry.ts);
      rows.push({ head: dayLabel(entry.ts) });
    }
    rows.push({ id: entry.id, item: entry });
  }
  return rows;
}

export function Inbox() {
  const loaded = useStore(entries);
  const list = loaded.value?.items ?? [];
  const rows = useMemo(() => rowsOf(list), [loaded.value]);
  const { id } = place.value;
  const current = find(id);
  const keys = useListKeys("inbox", rows, (opened) => {
    const entry = find(opened);
    if (entry) void markRead([entry]);
  });
  const { onOpen, onSelection, extend } = inboxActions(idsOf(rows), keys);
  const byKey = selected.value.size ? onSelection : onOpen;
  useKeys({
    u: byKey.unread,
    e: byKey.read,
    x: () => id !== undefined && toggle(id),
    J: () => extend(1),
    K: () => extend(-1),
    Delete: byKey.remove,
    Backspace: byKey.remove,
    "#": byKey.remove,
    ...(selected.value.size && { Escape: clearSelection }),
  });
  return (
    <ListTab
      tab="inbox"
      loaded={loaded}
      rows={rows}
      keys={keys}
      count={<UnreadCount />}
      tools={<FilterTools />}
      above={selected.value.size > 0 && <SelectionBar {...onSelection} />}
      empty={<NoEntries />}
      onEnd={entries.more}
      render={(entry) => (
        <EntryRow
          entry={entry}
          open={entry.id === id}
          selected={selected.value.has(entry.id)}
          selecting={selected.value.size > 0}
          onOpen={() => {
            anchorAt(entry.id);
            go({ tab: "inbox", id: entry.id });
            void markRead([entry]);
          }}
          onSelect={(range) => (range ? selectTo(idsOf(rows), entry.id, id) : toggle(entry.id))}
        />
      )}
    >
      {id !== undefined ? <EntryDetail key={id} id={id} known={current} actions={onOpen} /> : <NothingOpen />}
    </ListTab>
  );
}
