/** The inbox: entries by day on the left, what one says on the right. */
import { signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { shownCount, unread, unreadOf } from "../data/counts.ts";
import {
  choose,
  type Entry,
  entries,
  filter,
  find,
  hasMore,
  load,
  loaded,
  loadMore,
  problem,
} from "../data/entries.ts";
import { markRead, markUnread, remove, undo } from "../data/entry-actions.ts";
import { workspaces } from "../data/workspaces.ts";
import { useKeys } from "../keys.ts";
import { go, place } from "../router.ts";
import { Columns, narrow, useListKeys } from "../ui/columns.tsx";
import { Empty, Trouble } from "../ui/empty.tsx";
import { Icon } from "../ui/icon.tsx";
import { idsOf, LongList, neighbour, type Row } from "../ui/long-list.tsx";
import { dayLabel, dayStart } from "../ui/time.tsx";
import { EntryDetail } from "./entry-detail.tsx";
import { EntryRow } from "./entry-row.tsx";

const selected = signal<ReadonlySet<string>>(new Set());
/** Where a range begins. */
let anchor: string | undefined;

/** The list as rows, a heading for each day. Entries are in order, so a day is looked up only where it changes. */
export function rowsOf(list: readonly Entry[]): Row<Entry>[] {
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
  const list = entries.value;
  const rows = useMemo(() => rowsOf(list), [list]);
  const { id } = place.value;
  const current = find(id);
  const { follow, detail } = useListKeys("inbox", rows, (opened) => {
    const entry = find(opened);
    if (entry) void markRead([entry]);
  });

  const chosen = (): Entry[] =>
    selected.value.size ? list.filter((entry) => selected.value.has(entry.id)) : current ? [current] : [];
  const clear = () => {
    anchor = undefined;
    selected.value = new Set();
  };
  const toggle = (which: string, range: boolean) => {
    const next = new Set(selected.value);
    const ids = idsOf(rows);
    const [a, b] = [ids.indexOf(anchor ?? id ?? which), ids.indexOf(which)].sort(
      (one, other) => one - other,
    ) as [number, number];
    if (range && a >= 0) for (const one of ids.slice(a, b + 1)) next.add(one);
    else if (!next.delete(which)) next.add(which);
    anchor = which;
    selected.value = next;
  };
  const next = (gone: ReadonlySet<string>) => {
    const ids = idsOf(rows);
    const at = id === undefined ? -1 : ids.indexOf(id);
    const left = [...ids.slice(at + 1), ...ids.slice(0, Math.max(0, at)).reverse()].find(
      (one) => !gone.has(one),
    );
    if (at < 0) return;
    follow.current = true;
    go(narrow.matches ? { tab: "inbox" } : { tab: "inbox", ...(left !== undefined && { id: left }) }, {
      replace: true,
    });
  };
  const removeChosen = () => {
    const gone = chosen();
    next(new Set(gone.map((entry) => entry.id)));
    clear();
    void remove(gone);
  };
  const extend = (step: 1 | -1) => {
    if (id === undefined) return;
    const other = neighbour(idsOf(rows), id, step);
    selected.value = new Set([...selected.value, id, ...(other === undefined ? [] : [other])]);
    if (other === undefined) return;
    follow.current = true;
    go({ tab: "inbox", id: other }, { replace: true });
  };
  useKeys({
    u: () => {
      void markUnread(chosen());
      clear();
    },
    e: () => {
      const done = chosen();
      void markRead(done);
      clear();
      next(new Set(done.map((entry) => entry.id)));
    },
    x: () => id !== undefined && toggle(id, false),
    J: () => extend(1),
    K: () => extend(-1),
    Delete: removeChosen,
    Backspace: removeChosen,
    "#": removeChosen,
    z: undo,
    "mod+z": undo,
    r: () => detail.current?.querySelector<HTMLElement>("textarea")?.focus(),
    ...(selected.value.size && { Escape: clear }),
  });
  useEffect(() => {
    if (!loaded.peek()) void load();
  }, []);

  return (
    <Columns
      label="Inbox"
      detail={detail}
      list={
        <>
          <ListHead />
          {selected.value.size > 0 && (
            <div class="selection" role="toolbar" aria-label="The selected entries">
              <strong>{selected.value.size} selected</strong>
              <button
                type="button"
                class="button quiet"
                onClick={() => {
                  void markRead(chosen());
                  clear();
                }}
              >
                Read
              </button>
              <button
                type="button"
                class="button quiet"
                onClick={() => {
                  void markUnread(chosen());
                  clear();
                }}
              >
                Unread
              </button>
              <button type="button" class="button quiet" onClick={removeChosen}>
                Delete
              </button>
              <button type="button" class="icon-button" aria-label="Select none" onClick={clear}>
                <Icon name="close" />
              </button>
            </div>
          )}
          {problem.value && !loaded.value ? (
            <Trouble {...problem.value} again={() => void load()} />
          ) : loaded.value && !list.length ? (
            <NoEntries />
          ) : (
            <LongList
              label="Entries"
              rows={rows}
              current={id}
              follow={follow}
              onEnd={() => hasMore.peek() && void loadMore().catch(() => {})}
              render={(entry) => (
                <EntryRow
                  entry={entry}
                  open={entry.id === id}
                  selected={selected.value.has(entry.id)}
                  selecting={selected.value.size > 0}
                  onOpen={() => {
                    anchor = entry.id;
                    go({ tab: "inbox", id: entry.id });
                    void markRead([entry]);
                  }}
                  onSelect={(range) => toggle(entry.id, range)}
                />
              )}
            />
          )}
        </>
      }
    >
      {id !== undefined ? (
        <EntryDetail key={id} id={id} known={current} onDelete={removeChosen} />
      ) : (
        <NothingOpen />
      )}
    </Columns>
  );
}

function ListHead() {
  const { workspaceId, unread: only } = filter.value;
  const pick = (event: Event) => {
    const value = (event.currentTarget as HTMLSelectElement).value;
    void choose({ ...(value && { workspaceId: value }), ...(only && { unread: true }) });
  };
  const flip = () => void choose({ ...(workspaceId && { workspaceId }), ...(!only && { unread: true }) });
  return (
    <header class="list-header">
      <h1>
        Inbox
        {unread.value > 0 && (
          <span class="count strong">
            {shownCount(unread.value)}
            <span class="hidden"> unread</span>
          </span>
        )}
      </h1>
      <select aria-label="Workspace" value={workspaceId ?? ""} onChange={pick}>
        <option value="">All workspaces</option>
        {workspaces.value.map((one) => {
          const count = unreadOf.value.get(one.workspaceId) ?? 0;
          return (
            <option key={one.workspaceId} value={one.workspaceId}>
              {one.label}
              {count > 0 ? ` (${shownCount(count)})` : ""}
            </option>
          );
        })}
      </select>
      <button type="button" class="button quiet chip" aria-pressed={only === true} onClick={flip}>
        Unread
      </button>
    </header>
  );
}

function NoEntries() {
  const { workspaceId, unread: only } = filter.value;
  if (only)
    return (
      <Empty icon="check" title="All read">
        Nothing here is unread. New entries appear by themselves.
      </Empty>
    );
  const first = workspaces.value[0]?.workspaceId;
  return (
    <Empty
      icon="inbox"
      title={workspaceId ? "Nothing from this workspace yet" : "Nothing here yet"}
      command={
        first
          ? `inbox entries push ${workspaceId ?? first} --comments "Hello"`
          : 'inbox send user "Ready for your review"'
      }
    >
      {first
        ? "Agents put their work here with the tool inbox_push. To see how it looks, push something yourself:"
        : "What agents push from their workspaces, and whatever is sent to user, comes here:"}
    </Empty>
  );
}

const NothingOpen = () => (
  <Empty icon="inbox" title={unread.value ? `${shownCount(unread.value)} unread` : "Nothing is open"}>
    <kbd>j</kbd> and <kbd>k</kbd> move through the list, <kbd>?</kbd> shows all keys.
  </Empty>
);
