/** The inbox: what needs the person, then entries by day, on the left; what one says on the right. */
import { signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { countsInList } from "../data/counts.ts";
import {
  type Entry,
  entries,
  find,
  holdList,
  loadNeeding,
  needing,
  shownEntries,
  type View,
  waiting,
} from "../data/entries.ts";
import { markRead, readAll } from "../data/entry-actions.ts";
import { useStore } from "../data/store.ts";
import { useKeys } from "../keys.ts";
import type { Command } from "../palette/commands.ts";
import { useOpenCommands } from "../palette/open-commands.ts";
import { go, place } from "../router.ts";
import { AskedText } from "../ui/ask-text.tsx";
import { useListKeys } from "../ui/list-keys.ts";
import { ListTab } from "../ui/list-tab.tsx";
import { idsOf, type Row } from "../ui/long-list.tsx";
import { type EntryActions, inboxActions } from "./actions.ts";
import { EntryDetail } from "./entry-detail.tsx";
import { EntryRow } from "./entry-row.tsx";
import { allOf, type Fold, foldKey, rowsOf, withOpen } from "./folds.ts";
import { Counts, FilterTools, NewEntries, NoEntries, NothingOpen } from "./list-parts.tsx";
import { anchorAt, clearSelection, selectAll, selected, selectTo, toggle } from "./selection.ts";
import { SelectionBar } from "./selection-bar.tsx";
import { StuckWork } from "./stuck-work.tsx";

/** Folds that were opened. */
const unfolded = signal<ReadonlySet<string>>(new Set());

function unfold(fold: Fold): void {
  const key = foldKey(fold);
  if (key !== undefined) unfolded.value = new Set([...unfolded.peek(), key]);
}

const commandsOn = (on: EntryActions): Command[] => [
  { icon: "check", name: "Done", keys: ["e"], run: on.done },
  { icon: "clock", name: "Snooze", keys: ["h"], run: on.snooze },
  { icon: "bell-off", name: "Mute", keys: ["m"], run: on.mute },
  { icon: "unread", name: "Mark as unread", keys: ["u"], run: on.unread },
  { icon: "trash", name: "Delete", keys: ["Del"], run: on.remove },
];

/** What needs the person may be older than what is loaded. */
function useNeeding(list: readonly Entry[]): void {
  const known = list.filter(({ needs }) => needs !== null).length;
  const missing = entries.value.value !== undefined && countsInList.value.needsYou > known;
  useEffect(() => {
    if (missing) void loadNeeding();
  }, [missing, countsInList.value.needsYou]);
}

/** Where what needs the person is shown. */
const showsNeeds = (view: View | undefined) => view === undefined || view === "unread" || view === "needs";

function useRows() {
  const list = shownEntries.value;
  const { view } = entries.filter.value;
  const { id } = place.value;
  useNeeding(list);
  const apart = view === undefined || view === "unread";
  const rows = useMemo(
    () => rowsOf({ list, needing: apart ? needing.value : [], apart, unfolded: unfolded.value }),
    [list, needing.value, apart, unfolded.value],
  );
  return useMemo(() => withOpen(rows, id), [rows, id]);
}

/** What the list shows, and what is below it under the same filter. */
function readAllShown(): void {
  const { workspaceId, view } = entries.filter.peek();
  const shown = shownEntries.peek();
  // The hub marks all that is in the inbox: what needs the person is only a part of that.
  void (view === "needs" ? markRead(shown) : readAll(workspaceId, shown[0]));
}

/** All of the filter is selected, also what is not loaded yet: it is loaded for that. */
const selectingAll = signal(false);

function useSelectAll(rows: readonly Row<Fold>[], failed: boolean) {
  useEffect(() => {
    if (!selectingAll.value) return;
    selectAll(idsOf(rows));
    if (entries.value.peek()?.hasMore && !failed) entries.more();
    else selectingAll.value = false;
  }, [rows, selectingAll.value, failed]);
  return {
    begin() {
      selectingAll.value = true;
    },
    end() {
      selectingAll.value = false;
      clearSelection();
    },
  };
}

export function Inbox() {
  const loaded = useStore(entries);
  const rows = useRows();
  const { id } = place.value;
  const keys = useListKeys("inbox", rows, (opened) => {
    const entry = find(opened);
    if (entry) void markRead([entry]);
  });
  const { onOpen, onSelection, selectedEntries, extend } = inboxActions(rows, keys);
  const byKey = selected.value.size ? onSelection : onOpen;
  const all = useSelectAll(rows, loaded.problem !== undefined);
  useEffect(() => () => holdList(false), []);
  useOpenCommands(id === undefined ? [] : commandsOn(onOpen));
  useKeys({
    e: byKey.done,
    h: byKey.snooze,
    m: byKey.mute,
    u: byKey.unread,
    I: byKey.read,
    A: readAllShown,
    x: () => id !== undefined && toggle(id),
    "mod+a": all.begin,
    J: () => extend(1),
    K: () => extend(-1),
    Delete: byKey.remove,
    Backspace: byKey.remove,
    "#": byKey.remove,
    ...(selected.value.size && { Escape: all.end }),
  });
  return (
    <ListTab
      tab="inbox"
      loaded={loaded}
      rows={rows}
      keys={keys}
      count={<Counts />}
      tools={<FilterTools />}
      above={
        <>
          {selected.value.size > 0 && <SelectionBar {...onSelection} entries={selectedEntries()} />}
          <AskedText />
          {showsNeeds(entries.filter.value.view) && <StuckWork />}
          {waiting.value.size > 0 && <NewEntries />}
        </>
      }
      empty={<NoEntries />}
      onEnd={entries.more}
      onBusy={holdList}
      render={(fold, key) => (
        <EntryRow
          fold={fold}
          id={key}
          open={key === id}
          selected={selected.value.has(key)}
          selecting={selected.value.size > 0}
          onOpen={() => {
            anchorAt(key);
            go({ tab: "inbox", id: key });
            void markRead(allOf(fold));
          }}
          onUnfold={() => unfold(fold)}
          onSelect={(range) => (range ? selectTo(idsOf(rows), key, id) : toggle(key))}
        />
      )}
    >
      {id !== undefined ? (
        <EntryDetail key={id} id={id} known={find(id)} actions={onOpen} />
      ) : (
        <NothingOpen />
      )}
    </ListTab>
  );
}
