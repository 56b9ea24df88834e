/** The inbox: entries by day on the left, what one says on the right. */
import { useMemo } from "preact/hooks";
import { type Entry, entries, find } from "../data/entries.ts";
import { markRead, markUnread, remove } from "../data/entry-actions.ts";
import { useStore } from "../data/store.ts";
import { useKeys } from "../keys.ts";
import { go, place } from "../router.ts";
import { type ListKeys, useListKeys } from "../ui/list-keys.ts";
import { ListTab } from "../ui/list-tab.tsx";
import { idsOf, neighbour, type Row } from "../ui/long-list.tsx";
import { narrow } from "../ui/narrow.ts";
import { dayLabel, dayStart } from "../ui/time.tsx";
import { undoLast } from "../ui/undo.ts";
import { EntryDetail } from "./entry-detail.tsx";
import { EntryRow } from "./entry-row.tsx";
import { FilterTools, NoEntries, NothingOpen, UnreadCount } from "./list-parts.tsx";
import { anchorAt, clearSelection, extendSelection, selected, selectTo, toggle } from "./selection.ts";
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
  const actions = actionsOn(idsOf(rows), keys);
  useKeys({
    u: actions.unread,
    e: actions.read,
    x: () => id !== undefined && toggle(id),
    J: () => actions.extend(1),
    K: () => actions.extend(-1),
    Delete: actions.remove,
    Backspace: actions.remove,
    "#": actions.remove,
    z: undoLast,
    "mod+z": undoLast,
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
      above={selected.value.size > 0 && <SelectionBar {...actions} />}
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
      {id !== undefined ? (
        <EntryDetail key={id} id={id} known={current} onDelete={actions.remove} />
      ) : (
        <NothingOpen />
      )}
    </ListTab>
  );
}

/** What is done with the selected entries; with none selected, with the one that is open. */
function actionsOn(ids: readonly string[], { follow }: ListKeys) {
  const { id } = place.value;
  const chosen = (): readonly Entry[] => {
    const wanted = selected.peek().size ? selected.peek() : new Set([id]);
    return (entries.value.peek()?.items ?? []).filter((entry) => wanted.has(entry.id));
  };
  const open = (next: string | undefined) => {
    follow.current = true;
    go({ tab: "inbox", ...(next !== undefined && { id: next }) }, { replace: true });
  };
  /** The next one that is left, or the one before; on a phone the list. */
  const goOn = (gone: readonly Entry[]) => {
    const at = id === undefined ? -1 : ids.indexOf(id);
    if (at < 0) return;
    const without = new Set(gone.map((entry) => entry.id));
    const left = [...ids.slice(at + 1), ...ids.slice(0, at).reverse()].find((one) => !without.has(one));
    open(narrow.matches ? undefined : left);
  };
  return {
    read() {
      const done = chosen();
      void markRead(done);
      clearSelection();
      goOn(done);
    },
    unread() {
      void markUnread(chosen());
      clearSelection();
    },
    remove() {
      const gone = chosen();
      goOn(gone);
      clearSelection();
      void remove(gone);
    },
    extend(step: 1 | -1) {
      const next = id === undefined ? undefined : neighbour(ids, id, step);
      if (id === undefined || next === undefined) return;
      extendSelection(ids, id, next);
      open(next);
    },
  };
}
