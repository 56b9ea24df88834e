/** [Y1] Deleting rows together with everything that belongs to them or is derived from them. */
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all, run } from "../../sql/procedure.ts";
import { fragment, type Sql, sql } from "../../sql/sql.ts";
import { erase } from "../entry.ts";
import { rememberPruned } from "../pruned.ts";
import { forgetWords } from "../search.ts";
import { listed } from "./due.ts";
import type { RowKind } from "./kinds.ts";

/** Deletes what a page of one kind has found (due.ts), under the locks that the kind needs. */
export const deletions: Record<
  RowKind,
  (tx: Context, refs: readonly number[], now: string) => Procedure<void>
> = {
  *entries(tx, refs, now) {
    const which = sql`entry_number in (${listed(refs)}) and read_at is not null and deleted_at is null`;
    yield* erase(tx, which, now);
  },
  /** Its files were deleted before. */
  *transcripts(_tx, refs) {
    yield* run(sql`update tasks set folder = null where task_number in (${listed(refs)})`);
  },
  *tasks(tx, refs) {
    const chosen = sql`tasks.task_number in (${listed(refs)})`;
    const rows = yield* all<{ thread_id: number | null; token_id: number | null }>(
      sql`select tasks.thread_id, tasks.token_id from tasks where ${chosen} order by tasks.task_number`,
    );
    // [M13] The bus remembers that a sub-agent has finished, so that mail to it is still reported as undeliverable.
    yield* run(sql`
      update agents set ended_at = (
        select max(life.finished_at) from tasks as life where life.name = agents.name and life.worker is null)
      where agents.name in (select tasks.name from tasks where ${chosen} and tasks.worker is null)`);
    const links = sql`task_number in (${listed(refs)}) or after_number in (${listed(refs)})`;
    yield* run(sql`delete from task_dependencies where ${links}`);
    yield* run(sql`delete from worktrees where task_number in (${listed(refs)})`);
    yield* run(sql`delete from task_usage where task_number in (${listed(refs)})`);
    yield* run(sql`delete from tasks where task_number in (${listed(refs)})`);
    const tokens = numbersIn(rows.map(({ token_id }) => token_id));
    if (tokens.length)
      yield* run(sql`delete from tokens where token_id in (${listed(tokens)}) and revoked_at is not null
        and not exists (select 1 from tasks where tasks.token_id = tokens.token_id)`);
    const threads = numbersIn(rows.map(({ thread_id }) => thread_id));
    if (threads.length) yield* deleteThreads(tx, threads);
  },
  *threads(tx, refs) {
    yield* deleteThreads(tx, refs);
  },
  *mail(tx, refs) {
    yield* rememberPruned(tx, yield* deleteMessages(tx, byNumber(refs)));
  },
  *"dead-letters"(tx, refs, now) {
    // The history of a thread stays complete: there the letter is only acked.
    yield* run(sql`
      update messages set dead_at = null, dead_reason = null, acked_at = ${now}, acked_by = 'gc'
      where ${byNumber(refs)} and dead_at is not null and thread_id is not null`);
    const plain = sql`${byNumber(refs)} and messages.dead_at is not null and messages.thread_id is null`;
    yield* rememberPruned(tx, yield* deleteMessages(tx, plain));
  },
  /** Nobody could read these any more, so this leaves no gap. */
  *expired(tx, refs) {
    yield* deleteMessages(tx, byNumber(refs));
  },
};

/**
 * Messages of a topic, which nobody acks. Those that were acked or handed over meanwhile are kept. Returns how many
 * were deleted.
 */
export function* deleteUnacked(tx: Context, refs: readonly number[]): Procedure<number> {
  const free = sql`${byNumber(refs)} and messages.acked_at is null and messages.dead_at is null
    and messages.hidden_until is null`;
  const rows = yield* deleteMessages(tx, free);
  yield* rememberPruned(tx, rows, { unacked: true });
  return rows.length;
}

const numbersIn = (values: readonly (number | null)[]) => values.filter((value) => value !== null);
const byNumber = (refs: readonly number[]) => sql`messages.message_id in (${listed(refs)})`;

function* deleteThreads(tx: Context, refs: readonly number[]): Procedure<void> {
  const inThem = sql`thread_id in (${listed(refs)})`;
  for (const table of [fragment`thread_reads`, fragment`leases`, fragment`lost_leases`])
    yield* run(sql`delete from ${table} where ${inThem}`);
  yield* rememberPruned(tx, yield* deleteMessages(tx, sql`messages.thread_id in (${listed(refs)})`));
  yield* run(sql`delete from threads where ${inThem}`);
  yield* forgetWords(tx, "threads", refs);
}

function* deleteMessages(tx: Context, which: Sql): Procedure<{ message_id: number; to_agent: string }[]> {
  const found = sql`(select messages.message_id from messages where ${which})`;
  yield* run(sql`delete from artifacts where message_id in ${found}`);
  yield* run(sql`delete from outbox where message_id in ${found}`);
  const rows = yield* all<{ message_id: number; to_agent: string }>(
    sql`delete from messages where ${which} returning message_id, to_agent`,
  );
  yield* forgetWords(
    tx,
    "messages",
    rows.map((row) => row.message_id),
  );
  return rows;
}
