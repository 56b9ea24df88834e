/** Entries as rows: what needs the person first, then by day; what belongs together is one row. */
import type { Entry } from "../data/entries.ts";
import type { Row } from "../ui/long-list.tsx";
import { dayLabel, dayStart } from "../ui/time.tsx";
import { headline } from "./words.ts";

/** The newest of several that tell of the same, and the others. */
export interface Fold {
  entry: Entry;
  older: readonly Entry[];
  /** It stands under no day. */
  dateless?: boolean;
}

export const allOf = ({ entry, older }: Fold) => [entry, ...older];

/**
 * What tells of the same: one thread, the progress of one agent, or the same words by the same agent; in a plain message also
 * with other numbers, as a heartbeat has them. What needs the person or has documents stands for itself.
 */
function samenessOf(entry: Entry): string | undefined {
  if (entry.needs !== null || entry.docs.length) return undefined;
  if (entry.threadId !== null) return `thread ${entry.threadId}`;
  if (entry.kind === "progress") return `progress of ${entry.sender}`;
  const words = headline(entry);
  return `${entry.sender} ${entry.kind === null ? words : words.replaceAll(/\d+/g, "0")}`;
}

/** An entry is another object when it has changed: what was found out of one holds, however long the list is. */
const found = new WeakMap<Entry, { key: string | undefined }>();

function sameness(entry: Entry): string | undefined {
  let known = found.get(entry);
  if (!known) {
    known = { key: samenessOf(entry) };
    found.set(entry, known);
  }
  return known.key;
}

function folded(entries: readonly Entry[], unfolded: ReadonlySet<string>): Fold[] {
  const folds: { entry: Entry; older: Entry[] }[] = [];
  const known = new Map<string, { entry: Entry; older: Entry[] }>();
  for (const entry of entries) {
    const key = sameness(entry);
    const fold = key === undefined || unfolded.has(key) ? undefined : known.get(key);
    if (fold) fold.older.push(entry);
    else {
      const made = { entry, older: [] };
      folds.push(made);
      if (key !== undefined) known.set(key, made);
    }
  }
  return folds;
}

/** What a press on the number of a fold names, to unfold it. */
export const foldKey = (fold: Fold) => sameness(fold.entry);

interface Asked {
  list: readonly Entry[];
  /** What needs the person and is not in the list. */
  needing: readonly Entry[];
  /** Whether what needs the person has a section of its own. */
  apart: boolean;
  unfolded: ReadonlySet<string>;
}

/** The row with the entry that is open keeps its id, also when something newer joins it. */
export function withOpen(rows: Row<Fold>[], open: string | undefined): Row<Fold>[] {
  if (open === undefined) return rows;
  const at = rows.findIndex((row) => "id" in row && row.item.older.some(({ id }) => id === open));
  if (at < 0) return rows;
  return rows.with(at, { ...(rows[at] as { id: string; item: Fold }), id: open });
}

export function rowsOf({ list, needing, apart, unfolded }: Asked): Row<Fold>[] {
  const there = new Set(list.map(({ id }) => id));
  const needs = apart
    ? [...list.filter(inNeed), ...needing.filter((entry) => inNeed(entry) && !there.has(entry.id))]
    : [];
  const rest = apart ? list.filter((entry) => !inNeed(entry)) : list;
  const rows: Row<Fold>[] = [];
  if (needs.length) {
    rows.push({ head: "Needs you", count: String(needs.length), tone: "warn" });
    for (const entry of needs) rows.push({ id: entry.id, item: { entry, older: [], dateless: true } });
  }
  for (const day of byDay(rest)) {
    rows.push({ head: dayLabel(day[0]!.ts) });
    for (const item of folded(day, unfolded)) rows.push({ id: item.entry.id, item });
  }
  return rows;
}

const inNeed = (entry: Entry) => entry.needs !== null && entry.archivedAt === null;

/** Entries are in order, so a day is looked up only where it changes. */
function byDay(list: readonly Entry[]): Entry[][] {
  const days: Entry[][] = [];
  let from = Number.POSITIVE_INFINITY;
  for (const entry of list) {
    if (entry.ts < from) {
      from = dayStart(entry.ts);
      days.push([]);
    }
    days.at(-1)!.push(entry);
  }
  return days;
}
