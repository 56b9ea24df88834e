/** [U3] [U4] What the person does with an entry: reads it, or throws it away and takes it back. */
import { person } from "../../contract/entry.ts";
import { InboxError } from "../../contract/errors.ts";
import { idOf } from "../../contract/ids.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import { blank, call, phrase } from "../../contract/phrase.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { one, run } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { seen } from "../agent.ts";
import { type EntryRow, entryView, erase, eraseDue, findEntry, restorableUntil } from "../entry.ts";
import { append } from "../event.ts";
import { acknowledge } from "../message.ts";

export function* entryRead(
  tx: Context,
  { id, agent }: ParsedOf<"entries.read">,
): Procedure<OutputOf<"entries.read">> {
  const row = yield* findEntry(tx, id);
  const now = yield* tx.clock();
  yield* eraseDue(tx, now);
  return yield* markRead(tx, row, agent, now);
}

/** [U9] Opening a message acks it. */
export function* markRead(
  tx: Context,
  row: EntryRow,
  agent: string,
  now: string,
): Procedure<OutputOf<"entries.read">> {
  const changed = yield* one(
    sql`update entries set read_at = ${now} where entry_id = ${row.entry_id} and read_at is null returning entry_id`,
  );
  if (!changed) return { entry: entryView(row), already: true };
  yield* seen(tx, agent, now);
  if (yield* ownMessage(row)) {
    const acked = yield* acknowledge(agent, [person], sql`message_id = ${row.message_id}`, now, true);
    const payload = { messages: acked.map((number) => idOf("message", number)), read_to: null };
    if (acked.length) yield* append(tx, { type: "messages.collected", source: agent, payload, now });
  }
  yield* append(tx, { type: "entry.read", source: agent, payload: { entry: row.entry_id }, now });
  return { entry: entryView({ ...row, read_at: now }), already: false };
}

/** Whether the message it names is the one it was made from: an entry may have been imported from another bus. */
export function* ownMessage(row: EntryRow): Procedure<boolean> {
  if (row.message_id === null) return false;
  const found = yield* one(sql`
    select 1 as here from messages where messages.message_id = ${row.message_id} and messages.to_agent = ${person}
      and messages.from_agent = ${row.sender} and messages.created_at = ${row.created_at}`);
  return found !== undefined;
}

export function* entryUnread(
  tx: Context,
  { id, agent }: ParsedOf<"entries.unread">,
): Procedure<OutputOf<"entries.unread">> {
  const row = yield* findEntry(tx, id);
  const now = yield* tx.clock();
  const changed = yield* one(
    sql`update entries set read_at = null where entry_id = ${id} and read_at is not null returning entry_id`,
  );
  if (!changed) return { entry: entryView(row), already: true };
  yield* seen(tx, agent, now);
  yield* append(tx, { type: "entry.unread", source: agent, payload: { entry: id }, now });
  return { entry: entryView({ ...row, read_at: null }), already: false };
}

export function* entryDelete(
  tx: Context,
  { id, agent, atOnce }: ParsedOf<"entries.delete">,
): Procedure<OutputOf<"entries.delete">> {
  const row = yield* findEntry(tx, id, true);
  const now = yield* tx.clock();
  yield* eraseDue(tx, now);
  yield* seen(tx, agent, now);
  if (atOnce) {
    yield* erase(tx, sql`entry_id = ${id}`, now);
    return { id, restorableUntil: null };
  }
  if (row.deleted_at !== null) return { id, restorableUntil: restorableUntil(row.deleted_at) };
  yield* run(sql`update entries set deleted_at = ${now} where entry_id = ${id} and deleted_at is null`);
  const until = restorableUntil(now);
  yield* append(tx, { type: "entry.deleted", source: agent, payload: { entry: id, until }, now });
  return { id, restorableUntil: until };
}

export function* entryRestore(
  tx: Context,
  { id, agent }: ParsedOf<"entries.restore">,
): Procedure<OutputOf<"entries.restore">> {
  const now = yield* tx.clock();
  const row = yield* findEntry(tx, id, true);
  if (row.deleted_at === null) return { entry: entryView(row), already: true };
  if (restorableUntil(row.deleted_at) <= now)
    throw new InboxError("not_found", `the entry ${id} was deleted too long ago to bring it back`, {
      hint: phrase`${call("entries.import", { entries: blank("FILE") })} brings entries back from an export`,
      details: { erased: true },
    });
  yield* run(sql`update entries set deleted_at = null where entry_id = ${id}`);
  yield* seen(tx, agent, now);
  yield* append(tx, { type: "entry.restored", source: agent, payload: { entry: id }, now });
  return { entry: entryView({ ...row, deleted_at: null }), already: false };
}
