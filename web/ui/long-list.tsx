/**
 * A list of any length: only what is in view is in the document. Headings and items are rows of one list; the item that is
 * open stays in view when the keyboard moves it.
 */
import type { ComponentChildren, JSX, RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { VList, type VListHandle } from "virtua";

export type Row<T> = { head: string; count?: string; tone?: "warn" } | { id: string; item: T };

interface Props<T> {
  label: string;
  rows: readonly Row<T>[];
  /** The item that is open. */
  current?: string;
  render(item: T, id: string): ComponentChildren;
  /** The end is near: more may be loaded. */
  onEnd?(): void;
  /** Whether the person is in the middle of it: the pointer is over it, or it is scrolled. What moves rows should wait. */
  onBusy?(busy: boolean): void;
  /** Whether the keyboard has moved it, and the focus has to follow. */
  follow?: { current: boolean };
}

export function LongList<T>({ label, rows, current, render, onEnd, onBusy, follow }: Props<T>) {
  const handle = useRef<VListHandle>(null);
  const place = useRef<HTMLElement>(null);
  const at = current === undefined ? -1 : rows.findIndex((row) => "id" in row && row.id === current);

  const onPersonScrolls = useOpenInView({ handle, place, at, current, follow });

  // While the list only scrolls, a row is the same drawing as before, and nothing is compared.
  const drawings = new WeakMap<Row<T>, JSX.Element>();
  const draw = (row: Row<T>) =>
    "head" in row ? (
      <h2 key={`head ${row.head}`} class="list-head" data-tone={row.tone}>
        {row.head}
        {row.count !== undefined && <span class="count">{row.count}</span>}
      </h2>
    ) : (
      <div key={row.id} class="row-place" data-id={row.id}>
        {render(row.item, row.id)}
      </div>
    );

  const pointed = useRef(false);
  const tellBusy = () => onBusy?.(pointed.current || (handle.current?.scrollOffset ?? 0) > 0);
  const point = (yes: boolean) => (event: PointerEvent) => {
    if (event.pointerType !== "mouse") return;
    pointed.current = yes;
    tellBusy();
  };
  const onScroll = () => {
    tellBusy();
    const list = handle.current;
    if (list && onEnd && list.scrollOffset + list.viewportSize > list.scrollSize - 3000) onEnd();
  };
  return (
    <nav
      class="long-list"
      aria-label={label}
      ref={place}
      onPointerEnter={point(true)}
      onPointerLeave={point(false)}
      onPointerDown={onPersonScrolls}
      onWheel={onPersonScrolls}
      onTouchMove={onPersonScrolls}
    >
      <VList ref={handle as never} data={rows as Row<T>[]} onScroll={onScroll} bufferSize={300} tabIndex={-1}>
        {
          ((row: Row<T>) => {
            let drawn = drawings.get(row);
            if (!drawn) {
              drawn = draw(row);
              drawings.set(row, drawn);
            }
            return drawn;
          }) as never
        }
      </VList>
    </nav>
  );
}

interface Open {
  handle: RefObject<VListHandle | null>;
  place: RefObject<HTMLElement | null>;
  /** Its row; -1 where it is not in the list. */
  at: number;
  current: string | undefined;
  follow: { current: boolean } | undefined;
}

/** Keeps what is open in view. The answer is to be called when the person scrolls: from then on it stays where it is. */
function useOpenInView({ handle, place, at, current, follow }: Open): () => void {
  const known = at >= 0;
  // What is open may be known before the list is: then it is brought into view when it comes.
  useLayoutEffect(() => {
    if (!known) return;
    handle.current?.scrollToIndex(at === 1 ? 0 : at, { align: "nearest" });
    if (!follow?.current) return;
    follow.current = false;
    const focus = () => {
      const link = place.current?.querySelector<HTMLElement>(`[data-id="${CSS.escape(current!)}"] .row-link`);
      link?.focus({ preventScroll: true });
      return link !== undefined && link !== null;
    };
    // At once, or the next key would be the one of the row before; a row that is far away is drawn first.
    if (!focus()) requestAnimationFrame(focus);
  }, [current, known]);

  /** Whether the person has scrolled since it was brought into view: then it is left where it is. */
  const scrolled = useRef(false);
  useLayoutEffect(() => {
    scrolled.current = false;
  }, [current]);
  // Rows may come in above it: what needs the person is loaded after the list. And something above the list may take its room.
  useLayoutEffect(() => {
    const stay = () => {
      if (known && !scrolled.current) handle.current?.scrollToIndex(at, { align: "nearest" });
    };
    stay();
    const observer = new ResizeObserver(stay);
    observer.observe(place.current!);
    return () => observer.disconnect();
  }, [at]);
  return () => {
    scrolled.current = true;
  };
}

/** The ids in the order they are shown. */
export const idsOf = <T,>(rows: readonly Row<T>[]) => rows.flatMap((row) => ("id" in row ? [row.id] : []));

/** The neighbour of what is open; the first where nothing is. */
export function neighbour(
  ids: readonly string[],
  current: string | undefined,
  step: 1 | -1,
): string | undefined {
  const at = current === undefined ? -1 : ids.indexOf(current);
  if (at < 0) return ids[step === 1 ? 0 : ids.length - 1];
  return ids[at + step];
}
