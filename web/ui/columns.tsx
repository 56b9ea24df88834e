/** Every tab: a list and what is open of it. On a narrow screen one at a time. */
import type { ComponentChildren, Ref } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useKeys } from "../keys.ts";
import { go, place, type Tab } from "../router.ts";
import { Icon } from "./icon.tsx";
import { idsOf, neighbour, type Row } from "./long-list.tsx";

interface Props {
  list: ComponentChildren;
  children: ComponentChildren;
  label: string;
  detail?: Ref<HTMLElement>;
}

export const narrow = matchMedia("(max-width: 720px)");

export const Columns = ({ list, children, label, detail }: Props) => (
  <div class="columns" data-open={place.value.id !== undefined}>
    <section class="list-column" aria-label={`${label}: list`}>
      {list}
    </section>
    <section class="detail-column" aria-label={`${label}: what is open`} ref={detail} tabIndex={-1}>
      {children}
    </section>
  </div>
);

export const BackButton = ({ tab }: { tab: Tab }) => (
  <button type="button" class="icon-button back" aria-label="Back to the list" onClick={() => go({ tab })}>
    <Icon name="back" />
  </button>
);

/** `j`, `k`, `Enter`, `Escape` for a list and its detail. */
export function useListKeys<T>(tab: Tab, rows: readonly Row<T>[], opened?: (id: string) => void) {
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
  return { follow, detail, move };
}
