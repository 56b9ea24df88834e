/**
 * [Y4] Unused space in the file. Deleting rows only frees pages, which new rows use first. The rest is given back in
 * small steps, which a file of an earlier version cannot do until it was rewritten once.
 */
import { one, type Procedure, run } from "../../sql/procedure.ts";
import { fragment } from "../../sql/sql.ts";
import type { Database } from "./driver.ts";

/** Pages that one step gives back: each has to be moved from the end of the file to a free page. */
const pagesAtOnce = 500;
const stepStatement = fragment`pragma incremental_vacuum(500)`;
/** How much stays free for the next writes: giving it back would only make the file grow again. */
const sparePart = 1 / 20;
const sparePages = 256;

const sizes = fragment`select (select auto_vacuum from pragma_auto_vacuum) as mode, (select page_size from pragma_page_size) as page,
  (select freelist_count from pragma_freelist_count) as free, (select page_count from pragma_page_count) as pages`;

interface Sizes {
  mode: number;
  page: number;
  free: number;
  pages: number;
}

const incremental = 2;

export function* reclaim(): Procedure<number> {
  const { mode, page, free, pages } = (yield* one<Sizes & Record<string, number>>(sizes))!;
  const spare = Math.max(sparePages, Math.round(pages * sparePart));
  if (mode !== incremental || free - spare < pagesAtOnce) return 0;
  yield* run(stepStatement);
  const after = yield* one<Sizes & Record<string, number>>(sizes);
  return (pages - after!.pages) * page;
}

const sizesOf = (db: Database) => db.query(sizes.strings[0]!).get() as Sizes;

export const givesBack = (db: Database) => sizesOf(db).mode === incremental;

export function rewrite(db: Database): number {
  const before = sizesOf(db);
  // Otherwise the copy it makes first would be in memory.
  db.run("pragma temp_store = file");
  try {
    db.run("pragma auto_vacuum = incremental; vacuum");
  } finally {
    db.run("pragma temp_store = memory");
  }
  return (before.pages - sizesOf(db).pages) * before.page;
}
