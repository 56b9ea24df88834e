/** `j`, `k`, `Enter`, `Escape` and `r` for a list and what is open of it. */
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useKeys } from "../keys.ts";
import { go, place, type Tab } from "../router.ts";
import { idsOf, neighbour, type Row } from "./long-list.tsx";

export interface ListKeys {
  /** Whether the keyboard has moved what is open, and the focus has to follow. */
  follow: { current: boolean };
  detail: RefObject<HTMLElement | null>;
}

export function useListKeys<T>(tab: Tab, rows: readonly Row<T>[], opened?: (id: string) => void): ListKeys {
  const follow = useRef(false);
  const detail = useRef<HTMLElement>(null);
  const { id } = place.value;
  const move = (step: 1 | -1) => {
    const next = neighbour(idsOf(rows), id, step);
    if (next === undefined) return;
    follow.current = true;
    go({ tab, id: next }, { replace: id !== undefined });
  };
  const enter = () => {
    if (id === undefined) return move(1);
    opened?.(id);
    detail.current?.focus();
  };
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Enter: enter,
    o: enter,
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
  // What was open and is gone on a phone must not leave an empty column.
  useEffect(() => {
    if (id === undefined) follow.current = false;
  }, [id]);
  return { follow, detail };
}
