/** [U3] The person's inbox, newest first. */
import { unreadLimit } from "../../contract/entry.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all, one } from "../../sql/procedure.ts";
import { fragment, joined, literal, type Sql, sql } from "../../sql/sql.ts";
import { type EntryRow, entryColumns, entryView, olderThan, placeOf } from "../entry.ts";
import { inFolder } from "../entry-folder.ts";
import { visible } from "../visible.ts";

const isVisible = fragment`entries.deleted_at is null`;

const inNeed = fragment`entries.needs is not null`;
const unreadOnly = fragment`entries.read_at is null`;

export function* entriesHistory(
  tx: Context,
  { limit, before, workspaceId, unread, needsYou, folder }: ParsedOf<"entries.history">,
): Procedure<OutputOf<"entries.history">> {
  const now = yield* tx.clock();
  const selection = () => [
    ...inFolder(folder, now),
    ...(workspaceId === undefined ? [] : [sql`entries.workspace_id = ${workspaceId}`]),
    ...visible.entries(tx),
  ];
  const conditions: Sql[] = [isVisible, ...selection()];
  if (unread) conditions.push(unreadOnly);
  if (needsYou) conditions.push(inNeed);
  if (before !== undefined) conditions.push(olderThan(yield* placeOf(before)));
  const rows = yield* all<EntryRow>(sql`
    select ${entryColumns} from entries where ${joined(conditions, " and ")}
    order by entries.created_at desc, entries.entry_number desc limit ${literal(limit + 1)}`);
  const unreadOnes = sql`from entries where ${joined([isVisible, unreadOnly, ...selection()], " and ")}`;
  // Finding the thousandth unread entry costs half of counting a thousand. Only if there is none are they counted.
  const { count } = (yield* one<{ count: number }>(sql`
    select coalesce(
      (select ${literal(unreadLimit)} ${unreadOnes} order by entries.created_at desc limit 1 offset ${literal(unreadLimit - 1)}),
      (select count(*) ${unreadOnes})) as count`))!;
  const asksForAll =
    !unread && !needsYou && before === undefined && workspaceId === undefined && folder === "inbox";
  return {
    entries: rows.slice(0, limit).map(entryView),
    hasMore: rows.length > limit,
    unread: count,
    ...(!rows.length && !asksForAll && { filtered: true }),
  };
}
