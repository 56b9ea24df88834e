/**
 * Every tab: a list on the left, what is open of it on the right; on a narrow screen one at a time. The list is in one of
 * four states: loading, failed, empty (the hub has said so) and shown; shown it may also have failed to refresh.
 */
import type { ComponentChildren } from "preact";
import { line } from "../data/line.ts";
import type { Loaded } from "../data/store.ts";
import { place, type Tab } from "../router.ts";
import { tabNames } from "../tabs.ts";
import { Trouble } from "./empty.tsx";
import { Icon } from "./icon.tsx";
import type { ListKeys } from "./list-keys.ts";
import { LongList, type Row } from "./long-list.tsx";

interface Props<T> {
  tab: Tab;
  loaded: Loaded<unknown>;
  rows: readonly Row<T>[];
  keys: ListKeys;
  /** Beside the name of the tab. */
  count?: ComponentChildren;
  tools?: ComponentChildren;
  /** The list takes all the width, and what is open the right side of it. */
  wide?: boolean;
  /** Shown in place of the rows, where there are any. */
  list?: ComponentChildren;
  /** Between the header and the list. */
  above?: ComponentChildren;
  empty: ComponentChildren;
  onEnd?(): void;
  onBusy?(busy: boolean): void;
  render(item: T, id: string): ComponentChildren;
  /** What is open. */
  children: ComponentChildren;
}

export function ListTab<T>(props: Props<T>) {
  const { tab, keys, count, tools, above, wide = false, children } = props;
  const name = tabNames[tab];
  return (
    <div class="columns" data-open={place.value.id !== undefined} data-wide={wide}>
      <section class="list-column" aria-label={`${name}: list`}>
        <header class="list-header">
          <h1>
            {name}
            {count}
          </h1>
          {tools}
        </header>
        {above}
        <List {...props} />
      </section>
      <section
        class="detail-column"
        aria-label={`${name}: details`}
        ref={keys.detail}
        tabIndex={-1}
        {...swipes(keys.move)}
      >
        {children}
        {place.value.id !== undefined && <Neighbours move={keys.move} />}
      </section>
    </div>
  );
}

/** On a phone, where there are no keys. */
const Neighbours = ({ move }: { move(step: 1 | -1): void }) => (
  <div class="neighbours" role="group" aria-label="Neighbours">
    <button type="button" class="button quiet" onClick={() => move(-1)}>
      <Icon name="up" /> Previous
    </button>
    <button type="button" class="button quiet" onClick={() => move(1)}>
      Next <Icon name="down" />
    </button>
  </div>
);

/** A swipe to the left opens the next, to the right the one before; what scrolls sideways by itself is left alone. */
function swipes(move: (step: 1 | -1) => void) {
  let from: { x: number; y: number } | undefined;
  return {
    onTouchStart(event: TouchEvent) {
      const { clientX: x, clientY: y } = event.touches[0]!;
      const scrolls = (event.target as Element).closest("pre, table, .table-scroll, textarea, input");
      from = event.touches.length === 1 && !scrolls ? { x, y } : undefined;
    },
    onTouchEnd(event: TouchEvent) {
      if (!from) return;
      const { clientX, clientY } = event.changedTouches[0]!;
      const [right, down] = [clientX - from.x, clientY - from.y];
      from = undefined;
      if (Math.abs(right) > 80 && Math.abs(down) < 40) move(right < 0 ? 1 : -1);
    },
  };
}

function List<T>({ tab, loaded, rows, keys, empty, onEnd, onBusy, render, list }: Props<T>) {
  const { value, problem, retry } = loaded;
  if (value === undefined) return problem ? <Trouble {...problem} retry={retry} /> : <LoadingRows />;
  return (
    <>
      {problem && line.value !== "lost" && (
        <p class="stale" role="alert">
          <span>Not up to date: {problem.message}</span>
          <button type="button" class="link" onClick={retry}>
            Try again
          </button>
        </p>
      )}
      {rows.length && list ? (
        list
      ) : rows.length ? (
        <LongList
          label={tabNames[tab]}
          rows={rows}
          current={place.value.id}
          follow={keys.follow}
          onEnd={onEnd}
          onBusy={onBusy}
          render={render}
        />
      ) : (
        empty
      )}
    </>
  );
}

/** Shown only when the hub takes longer than a moment. */
const LoadingRows = () => (
  <div class="loading-rows" aria-busy="true">
    <span class="hidden">Loading</span>
    {[1, 2, 3, 4].map((n) => (
      <div key={n} class="loading-row" aria-hidden="true" />
    ))}
  </div>
);
