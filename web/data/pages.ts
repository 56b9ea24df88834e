/** A list that the hub gives in pages, newest first, under a filter. */
import { type ReadonlySignal, signal } from "@preact/signals";
import type { Event } from "../../src/contract/event.ts";
import { type Store, store } from "./store.ts";

export interface Pages<T> {
  items: readonly T[];
  hasMore: boolean;
}

interface Source<T, Filter> {
  filter: Filter;
  /** The first page, where `before` is not given. `known`: how many are loaded already. */
  fetch(filter: Filter, at: { before?: T; known: number }): Promise<Pages<T>>;
  merge?(answer: Pages<T>, known: Pages<T> | undefined): Pages<T>;
  changedBy(event: Event): boolean;
}

export interface PagedStore<T, Filter> extends Store<Pages<T>> {
  readonly filter: ReadonlySignal<Filter>;
  choose(filter: Filter): Promise<void>;
  /** The next page, if there is one and it is not under way. */
  more(): void;
}

export function pagedStore<T, Filter>(source: Source<T, Filter>): PagedStore<T, Filter> {
  const filter = signal(source.filter);
  const pages: Store<Pages<T>> = store({
    fetch: () => source.fetch(filter.peek(), { known: pages.value.peek()?.items.length ?? 0 }),
    merge: source.merge,
    changedBy: source.changedBy,
  });
  let loadingMore = false;
  const more = async () => {
    const known = pages.value.peek();
    const before = known?.items.at(-1);
    if (loadingMore || !known?.hasMore || !before) return;
    loadingMore = true;
    await pages.extend(
      () => source.fetch(filter.peek(), { before, known: known.items.length }),
      (now, { items, hasMore }) => ({ items: [...now.items, ...items], hasMore }),
    );
    loadingMore = false;
  };
  return {
    ...pages,
    filter,
    choose(next) {
      filter.value = next;
      pages.reset();
      return pages.load();
    },
    more: () => void more(),
  };
}
