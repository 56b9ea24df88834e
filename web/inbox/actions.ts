/** What is done with entries: with the row that is open, or with the rows that are selected. */
import { type Entry, find } from "../data/entries.ts";
import { archive, bringBack, markRead, markUnread, remove } from "../data/entry-actions.ts";
import { go, place } from "../router.ts";
import type { ListKeys } from "../ui/list-keys.ts";
import { neighbour, type Row } from "../ui/long-list.tsx";
import { narrow } from "../ui/narrow.ts";
import { say } from "../ui/toasts.tsx";
import { allOf, type Fold } from "./folds.ts";
import { askMute } from "./mute-dialog.tsx";
import { clearSelection, extendSelection, selected } from "./selection.ts";
import { askSnooze } from "./snooze-dialog.tsx";

export interface EntryActions {
  done(): void;
  read(): void;
  unread(): void;
  snooze(): void;
  mute(): void;
  remove(): void;
}

interface Acting {
  /** The entries it acts on, whether they are loaded in the list or not. */
  on(): readonly Entry[];
  /** Opens what comes next, once these are dealt with. */
  leave(gone: readonly Entry[]): void;
}

function actions({ on, leave }: Acting): EntryActions {
  /** A key that can do nothing says so. */
  const some = (act: (these: readonly Entry[]) => void) => () => {
    const these = on();
    if (these.length) act(these);
    else say({ text: "No entry is open or selected", detail: "j opens the first one." });
  };
  return {
    done: some((these) => {
      leave(these);
      void (these.every(isAway) ? bringBack(these) : archive(these));
    }),
    read: some((these) => void markRead(these)),
    unread: some((these) => void markUnread(these)),
    snooze: some(async (these) => {
      if (await askSnooze(these)) leave(these);
    }),
    mute: some((these) => askMute(these[0]!)),
    remove: some((these) => {
      leave(these);
      void remove(these);
    }),
  };
}

/** Archived or asleep: what is done with it is to bring it back. */
export const isAway = ({ archivedAt, snoozedAt }: Entry) => archivedAt !== null || snoozedAt !== null;

/** `rows`: the list as it is shown. */
export function inboxActions(rows: readonly Row<Fold>[], { follow }: ListKeys) {
  const { id } = place.value;
  const shown = rows.flatMap((row) => ("id" in row ? [row] : []));
  const ids = shown.map((row) => row.id);
  const open = (next: string | undefined) => {
    follow.current = true;
    go({ tab: "inbox", ...(next !== undefined && { id: next }) }, { replace: true });
  };
  /** The next unread one below, or else above; where all are read, the next one; on a phone the list. */
  const leave = (gone: readonly Entry[]) => {
    const without = new Set(gone.map((entry) => entry.id));
    if (id === undefined || !without.has(id)) return;
    const at = ids.indexOf(id);
    const order = at < 0 ? shown : [...shown.slice(at + 1), ...shown.slice(0, at).reverse()];
    const left = order.filter((row) => !without.has(row.id));
    const next = left.find(({ item }) => allOf(item).some(({ readAt }) => readAt === null)) ?? left[0];
    open(narrow.matches ? undefined : next?.id);
  };
  const ofRow = (one: string | undefined): readonly Entry[] => {
    const row = shown.find((each) => each.id === one);
    const entry = find(one);
    return row ? allOf(row.item) : entry ? [entry] : [];
  };
  const selectedEntries = () => [...selected.value].flatMap(ofRow);
  const onSelection = actions({ on: selectedEntries, leave });
  const clearing = (act: () => void) => () => {
    act();
    clearSelection();
  };
  return {
    selectedEntries,
    onOpen: actions({ on: () => ofRow(id), leave }),
    onSelection: Object.fromEntries(
      Object.entries(onSelection).map(([name, act]) => [name, clearing(act)]),
    ) as unknown as EntryActions,
    extend(step: 1 | -1) {
      const next = id === undefined ? undefined : neighbour(ids, id, step);
      if (id === undefined || next === undefined) return;
      extendSelection(ids, id, next);
      open(next);
    },
  };
}
