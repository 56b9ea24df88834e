/** What is done with entries: with the one that is open, or with those that are selected. */
import { type Entry, entries, find } from "../data/entries.ts";
import { markRead, markUnread, remove } from "../data/entry-actions.ts";
import { go, place } from "../router.ts";
import type { ListKeys } from "../ui/list-keys.ts";
import { neighbour } from "../ui/long-list.tsx";
import { narrow } from "../ui/narrow.ts";
import { say } from "../ui/toasts.tsx";
import { clearSelection, extendSelection, selected } from "./selection.ts";

export interface EntryActions {
  read(): void;
  unread(): void;
  remove(): void;
}

interface Acting {
  /** The entries it acts on, whether they are loaded in the list or not. */
  on(): readonly Entry[];
  /** What is open next, once these are dealt with. */
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
    read: some((these) => {
      void markRead(these);
      leave(these);
    }),
    unread: some((these) => void markUnread(these)),
    remove: some((these) => {
      leave(these);
      void remove(these);
    }),
  };
}

/** `ids`: the list as it is shown. */
export function inboxActions(ids: readonly string[], { follow }: ListKeys) {
  const { id } = place.value;
  const open = (next: string | undefined) => {
    follow.current = true;
    go({ tab: "inbox", ...(next !== undefined && { id: next }) }, { replace: true });
  };
  /** The next one that is left, or the one before; on a phone the list. */
  const goOn = (gone: readonly Entry[]) => {
    const without = new Set(gone.map((entry) => entry.id));
    if (id === undefined || !without.has(id)) return;
    const at = ids.indexOf(id);
    const order = at < 0 ? ids : [...ids.slice(at + 1), ...ids.slice(0, at).reverse()];
    open(narrow.matches ? undefined : order.find((one) => !without.has(one)));
  };
  const onOpen = actions({
    on: () => {
      const entry = find(id);
      return entry ? [entry] : [];
    },
    leave: goOn,
  });
  const onSelection = actions({
    on: () => (entries.value.peek()?.items ?? []).filter((entry) => selected.peek().has(entry.id)),
    leave: goOn,
  });
  const clearing = (act: () => void) => () => {
    act();
    clearSelection();
  };
  return {
    onOpen,
    onSelection: {
      read: clearing(onSelection.read),
      unread: clearing(onSelection.unread),
      remove: clearing(onSelection.remove),
    } satisfies EntryActions,
    extend(step: 1 | -1) {
      const next = id === undefined ? undefined : neighbour(ids, id, step);
      if (id === undefined || next === undefined) return;
      extendSelection(ids, id, next);
      open(next);
    },
  };
}
