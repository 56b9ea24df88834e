/** [U12] Counts of what the person has to do. */

import { unreadLimit } from "../../contract/entry.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all, one } from "../../sql/procedure.ts";
import { fragment, joined, literal, type Sql, sql } from "../../sql/sql.ts";
import { inFolder } from "../entry-folder.ts";

/** The number of newest entries that are counted by workspace. */
const countLimit = 5000;

export function* entriesCounts(
  tx: Context,
  _input: ParsedOf<"entries.counts">,
): Procedure<OutputOf<"entries.counts">> {
  const now = yield* tx.clock();
  const inInbox = joined([fragment`entries.deleted_at is null`, ...inFolder("inbox", now)], " and ");
  const counts = function* (what: Sql): Procedure<Map<string | null, number>> {
    // Counted up to a limit, so that a neglected inbox costs no more than a tidy one.
    const rows = yield* all<{ workspace_id: string | null; count: number }>(sql`
      select counted.workspace_id, count(*) as count from (
        select entries.workspace_id from entries where ${inInbox} and ${what}
        order by entries.created_at desc limit ${literal(countLimit)}) as counted
      group by counted.workspace_id`);
    return new Map(rows.map(({ workspace_id, count }) => [workspace_id, count]));
  };
  const unread = yield* counts(fragment`entries.read_at is null`);
  const needs = yield* counts(fragment`entries.needs is not null`);
  const sleeping = joined([fragment`entries.deleted_at is null`, ...inFolder("snoozed", now)], " and ");
  const snoozed = (yield* one<{ count: number; next: string | null }>(
    sql`select count(*) as count, min(entries.snoozed_until) as next from entries where ${sleeping}`,
  ))!;
  const total = (each: Map<string | null, number>) =>
    Math.min(
      unreadLimit,
      [...each.values()].reduce((sum, count) => sum + count, 0),
    );
  const named = [...new Set([...unread.keys(), ...needs.keys()])].filter((id) => id !== null).sort();
  return {
    unread: total(unread),
    needsYou: total(needs),
    snoozed: snoozed.count,
    nextWake: snoozed.next,
    workspaces: named.map((workspaceId) => ({
      workspaceId,
      unread: Math.min(unreadLimit, unread.get(workspaceId) ?? 0),
      needsYou: Math.min(unreadLimit, needs.get(workspaceId) ?? 0),
    })),
  };
}
