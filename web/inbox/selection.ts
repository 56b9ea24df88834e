/** Which entries are selected. A range grows and shrinks at its moving end, as in every list of files. */
import { signal } from "@preact/signals";

interface Range {
  /** Where it began, and stays. */
  anchor: string;
  /** Where it ends now. */
  head: string;
}

export const selected = signal<ReadonlySet<string>>(new Set());
let range: Range | undefined;

export function clearSelection(): void {
  range = undefined;
  selected.value = new Set();
}

/** A range that is made next begins here. */
export function anchorAt(id: string): void {
  range = { anchor: id, head: id };
}

export function toggle(id: string): void {
  const next = new Set(selected.peek());
  if (!next.delete(id)) next.add(id);
  anchorAt(id);
  selected.value = next;
}

const between = (ids: readonly string[], { anchor, head }: Range) => {
  const [from, to] = [ids.indexOf(anchor), ids.indexOf(head)].sort((a, b) => a - b) as [number, number];
  return from < 0 ? [head] : ids.slice(from, to + 1);
};

/** The range now ends at `head`: what it covered before and does not cover now is deselected. The first one begins at what is open. */
export function selectTo(ids: readonly string[], head: string, open = head): void {
  const before = range ?? { anchor: open, head: open };
  const next = new Set(selected.peek());
  for (const id of between(ids, before)) next.delete(id);
  range = { anchor: before.anchor, head };
  for (const id of between(ids, range)) next.add(id);
  selected.value = next;
}

/** Moves the end of the range from where it is to `head`; a range that ends elsewhere is left as it is, and a new one begins. */
export function extendSelection(ids: readonly string[], from: string, head: string): void {
  if (range?.head !== from) anchorAt(from);
  selectTo(ids, head);
}

export function selectAll(ids: readonly string[]): void {
  range = undefined;
  selected.value = new Set(ids);
}
