/** [Y1] What is due for deletion: how far the limits of a kind reach and, page by page, which of those rows nobody needs. */
import type { RetentionReason } from "../../contract/retention.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all, one } from "../../sql/procedure.ts";
import { fragment, joined, literal, nothing, type Sql, sql } from "../../sql/sql.ts";
import { expiryAfter } from "../expiry.ts";
import type { Kind } from "./kinds.ts";

/** A position in the order in which rows of a kind are deleted. */
export interface RowPosition {
  at: string;
  ref: number;
}

/** The number of rows to read in one step, and about how many bytes of them to delete. */
export const rowsAtOnce = 200;
export const bytesAtOnce = 512 * 1024;
/** The number of rows to skip per step when the newest ones are counted. */
export const skippedAtOnce = 10_000;
export const lastRef = Number.MAX_SAFE_INTEGER;

/** A fixed number: every other number would be another statement to prepare and keep. */
export const listed = (refs: readonly number[]): Sql =>
  joined(Array.from({ length: rowsAtOnce }, (_, i) => refs[i] ?? refs[0]!));

export const later = (a: RowPosition, b: RowPosition): RowPosition =>
  a.at > b.at || (a.at === b.at && a.ref > b.ref) ? a : b;

/** Everything that ended at least that many days ago. */
export function* cutByAge(tx: Context, days: number): Procedure<RowPosition> {
  return { at: expiryAfter(yield* tx.clock(), -days * 86_400), ref: lastRef };
}

/** Skips some of the newest rows; undefined if there are no more than are to be kept. */
export function* skipNewest(
  tx: Context,
  { table, at, index, ref, over }: Kind,
  { from, left }: { from: RowPosition | undefined; left: number },
): Procedure<{ place: RowPosition; left: number } | undefined> {
  const skipped = Math.min(left, skippedAtOnce);
  const older = from ? sql`and (${at}, ${ref}) < (${joined([from.at, from.ref])})` : nothing;
  const place = yield* one<{ at: string; ref: number }>(sql`
    select ${at} as at, ${ref} as ref from ${table} ${tx.walking(index)} where ${over} ${older}
    order by ${at} desc, ${ref} desc limit 1 offset ${literal(from ? skipped - 1 : skipped)}`);
  return place && { place, left: left - skipped };
}

export interface DuePage {
  refs: number[];
  /** The position from which to continue; undefined if nothing is left. */
  next: RowPosition | undefined;
  /** How many of the rows up to there are over the limit and kept, and why. */
  kept: Kept;
}

export type Kept = Partial<Record<RetentionReason, number>>;

/** The first reason that holds, by its position from 1 on; 0 if none does. */
const firstOf = (reasons: ReturnType<Kind["kept"]>): Sql =>
  reasons.length
    ? sql`case ${joined(
        reasons.map(([, holds], at) => sql`when ${holds} then ${literal(at + 1)}`),
        " ",
      )} else 0 end`
    : fragment`0`;

/** The oldest rows after a position, up to the cut, that nobody needs; at most as many as can be deleted in a short time. */
export function* duePage(
  tx: Context,
  { table, at, index, ref, over, cost, kept: keptBy }: Kind,
  { cut, after }: { cut: RowPosition; after: RowPosition | undefined },
): Procedure<DuePage> {
  const now = yield* tx.clock();
  const newer = after ? sql`and (${at}, ${ref}) > (${joined([after.at, after.ref])})` : nothing;
  const reasons = keptBy(now);
  const rows = yield* all<{ at: string; ref: number; cost: number; kept: number }>(sql`
    select ${at} as at, ${ref} as ref, ${cost} as cost, ${firstOf(reasons)} as kept from ${table} ${tx.walking(index)}
    where ${over} and (${at}, ${ref}) <= (${joined([cut.at, cut.ref])}) ${newer}
    order by ${at}, ${ref} limit ${literal(rowsAtOnce)}`);
  const refs: number[] = [];
  const kept: Kept = {};
  let bytes = 0;
  let last: RowPosition | undefined;
  for (const row of rows) {
    const reason = reasons[row.kept - 1]?.[0];
    if (reason === undefined) {
      bytes += row.cost;
      if (refs.length && bytes > bytesAtOnce) return { refs, next: last, kept };
      refs.push(row.ref);
    } else if (reason !== "other") kept[reason] = (kept[reason] ?? 0) + 1;
    last = { at: row.at, ref: row.ref };
  }
  return { refs, next: rows.length < rowsAtOnce ? undefined : last, kept };
}
