/** `j`, `k`, `Enter`, `Space`, `Escape` and `r` for a list and what is open of it. */
import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { useKeys } from "../keys.ts";
import { go, place, type Tab } from "../router.ts";
import { idsOf, neighbour, type Row } from "./long-list.tsx";

export interface ListKeys {
  /** Whether the keyboard has moved what is open, and the focus has to follow. */
  follow: { current: boolean };
  detail: RefObject<HTMLElement | null>;
  /** Opens the next one, or the one before. */
  move(step: 1 | -1): void;
}

/** What was open last in each tab: `j` goes on from there after Escape. */
const lastOpen = new Map<Tab, string>();

export function useListKeys<T>(tab: Tab, rows: readonly Row<T>[], opened?: (id: string) => void): ListKeys {
  const follow = useRef(false);
  const detail = useRef<HTMLElement>(null);
  const { id } = place.value;
  const move = (step: 1 | -1) => {
    const ids = idsOf(rows);
    const last = lastOpen.get(tab);
    const from = id ?? (last !== undefined && ids.includes(last) ? last : undefined);
    const next = neighbour(ids, from, step);
    if (next === undefined) return;
    follow.current = true;
    go({ tab, id: next }, { replace: id !== undefined });
  };
  const enter = () => {
    if (id === undefined) return move(1);
    opened?.(id);
    (detail.current?.querySelector<HTMLElement>(".detail-body") ?? detail.current)?.focus();
  };
  /** What is open is read on while the focus stays in the list. */
  const scroll = (step: 1 | -1) => {
    const body = detail.current?.querySelector(".detail-body");
    body?.scrollBy({ top: step * body.clientHeight * 0.85 });
  };
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Enter: enter,
    o: enter,
    Space: () => scroll(1),
    "shift+Space": () => scroll(-1),
    r: () => detail.current?.querySelector<HTMLElement>(".reply-bar textarea")?.focus(),
    Escape: () => {
      if (
        document.activeElement instanceof HTMLTextAreaElement ||
        document.activeElement instanceof HTMLInputElement
      )
        document.activeElement.blur();
      else if (id !== undefined) go({ tab });
    },
  });
  // What was open and is gone on a phone must not leave an empty column. Before it is drawn, as the next key goes by it.
  useLayoutEffect(() => {
    if (id === undefined) follow.current = false;
    else lastOpen.set(tab, id);
  }, [id, tab]);
  return { follow, detail, move };
}
