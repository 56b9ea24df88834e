/** [U3] [U9] Entries of the person's inbox as they are stored, and what happens to them as time passes. */

import {
  choicesIn,
  type Entry,
  type Failure,
  pathProblem,
  person,
  restoreSeconds,
} from "../contract/entry.ts";
import { timeIn } from "../contract/entry-place.ts";
import { InboxError } from "../contract/errors.ts";
import { idOf } from "../contract/ids.ts";
import { blank, call, phrase } from "../contract/phrase.ts";
import type { Context, Procedure } from "../sql/procedure.ts";
import { all, one, run } from "../sql/procedure.ts";
import { joined, type Sql, sql } from "../sql/sql.ts";
import { columnsOf, insert, type NewRow, part, type RowOf } from "../sql/table.ts";
import { entries, erasedEntries } from "../sql/tables.ts";
import { wakeSnoozed, whereMuted } from "./entry-folder.ts";
import { entryOrder } from "./entry-order.ts";
import { append } from "./event.ts";
import { expiryAfter } from "./expiry.ts";
import type { Content, Head, MessageRow } from "./message.ts";
import { forgetWords } from "./search.ts";
import { forgetSeenIn } from "./seen-document.ts";
import { type WorkspaceRow, workspaceColumns } from "./workspace.ts";

export type EntryRow = RowOf<typeof entries>;
export const entryColumns = columnsOf(entries);

export const entryView = (row: EntryRow): Entry => ({
  id: row.entry_id,
  ts: Date.parse(row.created_at),
  workspaceId: row.workspace_id,
  workspaceLabel: row.workspace_label,
  docs: JSON.parse(row.docs_json),
  comments: row.comments,
  readAt: row.read_at,
  sender: row.sender,
  kind: row.kind,
  threadId: row.thread_id === null ? null : idOf("thread", row.thread_id),
  messageId: row.message_id === null ? null : idOf("message", row.message_id),
  choices: row.choices_json === null ? null : JSON.parse(row.choices_json),
  answeredAt: row.answered_at,
  answeredBy: row.answered_by,
  answer: row.answer,
  needs: row.needs,
  failure: row.failure_json === null ? null : JSON.parse(row.failure_json),
  archivedAt: row.archived_at,
  snoozedAt: row.snoozed_at,
  snoozedUntil: row.snoozed_until,
});

export type NewEntry = NewRow<typeof entries>;

/** Adds an entry and its event; returns false if an entry with this id exists. The caller holds the lock `entryOrder`. */
export function* addEntry(tx: Context, fresh: NewEntry, now: string): Procedure<boolean> {
  yield* eraseDue(tx, now);
  yield* wakeSnoozed(tx, fresh, now);
  const made = yield* one(
    sql`${insert(entries, fresh)} on conflict (entry_id) do nothing returning entry_id`,
  );
  if (!made) return false;
  const payload = { entry: fresh.entry_id, workspace: fresh.workspace_id };
  yield* append(tx, { type: "entry.pushed", source: fresh.sender ?? person, payload, now });
  return true;
}

/** [U9] A message to the person is an entry too. Its artifacts that lie in the sender's workspace are its documents. */
export function* addMessageEntry(
  tx: Context,
  { row, head, content }: { row: MessageRow; head: Head; content: Content },
  now: string,
): Procedure<void> {
  const workspace = yield* one<WorkspaceRow>(sql`
    select ${workspaceColumns} from workspaces where workspaces.agent_id = ${head.from}
    order by workspaces.created_at desc, workspaces.workspace_id limit 1`);
  const choices = choicesIn(content.payload ?? {});
  const failure = failureIn(head, content);
  const question = head.kind === "question" || choices !== null;
  yield* addEntry(
    tx,
    {
      entry_id: crypto.randomUUID(),
      workspace_id: workspace?.workspace_id ?? null,
      workspace_label: workspace?.label ?? null,
      docs_json: JSON.stringify(workspace ? documentsIn(workspace.path, content) : []),
      comments: commentsOf(content, failure),
      created_at: now,
      read_at: null,
      sender: head.from,
      kind: head.kind,
      thread_id: head.thread,
      message_id: row.message_id,
      choices_json: choices && JSON.stringify(choices),
      answered_at: null,
      ...needsOf({ question, failure }),
      ...(question ? {} : yield* whereMuted(head.from, head.thread, now)),
    },
    now,
  );
}

/** [U11] What a new entry needs from the person. */
export const needsOf = ({ question, failure }: { question: boolean; failure: Failure | undefined }) => ({
  needs: question ? ("answer" as const) : failure ? ("attention" as const) : null,
  failure_json: failure ? JSON.stringify(failure) : null,
});

/** The length of the program's last output that is kept: enough to see why it failed. */
const outputLimit = 4000;

/** [U11] A result whose payload says that the work failed. */
function failureIn({ kind, from }: Head, { summary, payload = {} }: Content): Failure | undefined {
  if (kind !== "result" || payload.success !== false) return undefined;
  const { error, reason, partial_output: output } = payload;
  const text = (value: unknown) => (typeof value === "string" ? value : "");
  return {
    error: text(error) || summary,
    task: typeof output === "string" ? from : null,
    reason: text(reason) || null,
    output: text(output).slice(-outputLimit).toWellFormed(),
  };
}

/** The summary and the body; text that both contain is not repeated. */
function commentsOf({ summary, body }: Content, failure: Failure | undefined): string {
  // The body of a failure is JSON, which the person does not have to read: its fields are shown instead.
  if (!body || failure?.task) return summary;
  return body.trimStart().startsWith(summary.replace(/…$/, "")) ? body : `${summary}\n\n${body}`;
}

function documentsIn(root: string, { artifacts = [] }: Content): { path: string }[] {
  const folder = root.endsWith("/") ? root : `${root}/`;
  return artifacts
    .filter(({ path }) => path.startsWith(folder))
    .map(({ path }) => ({ path: path.slice(folder.length) }))
    .filter(({ path }) => pathProblem(path) === undefined);
}

const erasedBefore = (now: string) => expiryAfter(now, -restoreSeconds);
export const restorableUntil = (deletedAt: string) => expiryAfter(deletedAt, restoreSeconds);

/** Entries that were deleted long enough ago are erased. Their position stays known, so that a page can still begin there. */
export function eraseDue(tx: Context, now: string): Procedure<string[]> {
  return erase(tx, sql`deleted_at is not null and deleted_at <= ${erasedBefore(now)}`, now);
}

const erased = part(entries, "entry_id", "entry_number", "created_at");
const erasedColumns = columnsOf(erased);

export function* erase(tx: Context, which: Sql, now: string): Procedure<string[]> {
  const gone = yield* all<RowOf<typeof erased>>(
    sql`delete from entries where ${which} returning ${erasedColumns}`,
  );
  gone.sort((a, b) => a.entry_number - b.entry_number);
  if (!gone.length) return [];
  yield* tx.lock(entryOrder); // the journal is updated by their numbers, too
  for (const row of gone) {
    yield* run(sql`${insert(erasedEntries, row)} on conflict (entry_id) do nothing`);
    yield* forgetSeenIn(row.entry_id);
  }
  yield* forgetWords(
    tx,
    "entries",
    gone.map(({ entry_number }) => entry_number),
  );
  const ids = gone.map(({ entry_id }) => entry_id);
  yield* append(tx, { type: "entries.erased", source: person, payload: { entries: ids }, now });
  return ids;
}

/** When the next deleted entry has to be erased, if there is one. */
export function* nextErasure(): Procedure<string | undefined> {
  const row = yield* one<{ at: string | null }>(
    sql`select min(entries.deleted_at) as at from entries where entries.deleted_at is not null`,
  );
  return row?.at ? restorableUntil(row.at) : undefined;
}

export function* findEntry(tx: Context, id: string, hidden = false): Procedure<EntryRow> {
  const row = yield* one<EntryRow>(
    sql`select ${entryColumns} from entries where entries.entry_id = ${id} ${tx.forUpdate}`,
  );
  if (row && (hidden || row.deleted_at === null)) return row;
  throw yield* noEntry(id, row);
}

export function* noEntry(id: string, row: EntryRow | undefined): Procedure<InboxError> {
  if (row?.deleted_at)
    return new InboxError("not_found", `the entry ${id} was deleted`, {
      hint: phrase`${call("entries.restore", { id })} restores it until ${restorableUntil(row.deleted_at)}`,
      details: { deleted: true },
    });
  const erased = yield* one(sql`select 1 as here from erased_entries where erased_entries.entry_id = ${id}`);
  return erased
    ? new InboxError("not_found", `the entry ${id} was deleted and cannot be restored`, {
        hint: phrase`${call("entries.import", { entries: blank("FILE") })} restores entries from an export`,
        details: { erased: true },
      })
    : new InboxError("not_found", `there is no entry ${id}`, {
        hint: phrase`${call("entries.history")} lists the entries`,
      });
}

/** The position of an entry in the history, also of one that was erased. */
export function* placeOf(id: string): Procedure<Pick<EntryRow, "created_at" | "entry_number">> {
  const time = timeIn(id);
  if (time !== undefined) return { created_at: time, entry_number: 0 };
  const place = yield* one<Pick<EntryRow, "created_at" | "entry_number">>(sql`
    select entries.created_at, entries.entry_number from entries where entries.entry_id = ${id}
    union all
    select erased_entries.created_at, erased_entries.entry_number from erased_entries where erased_entries.entry_id = ${id}
    limit 1`);
  if (!place) throw yield* noEntry(id, undefined);
  return place;
}

/** Entries that came after a position. */
export const newerThan = ({ created_at, entry_number }: Pick<EntryRow, "created_at" | "entry_number">): Sql =>
  sql`((entries.created_at, entries.entry_number) > (${joined([created_at, entry_number])}))`;

/** Entries older than a position. */
export const olderThan = ({ created_at, entry_number }: Pick<EntryRow, "created_at" | "entry_number">): Sql =>
  sql`(entries.created_at, entries.entry_number) < (${joined([created_at, entry_number])})`;
