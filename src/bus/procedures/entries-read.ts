/** [U3] The person has read an entry. */
import { person } from "../../contract/entry.ts";
import { idOf } from "../../contract/ids.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { one } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { seen } from "../agent.ts";
import { type EntryRow, entryView, eraseDue, findEntry } from "../entry.ts";
import { append } from "../event.ts";
import { acknowledge } from "../message.ts";

export function* entriesRead(
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
    const acked = yield* acknowledge({
      agent,
      names: [person],
      which: sql`message_id = ${row.message_id}`,
      now,
      seen: true,
    });
    const payload = { messages: acked.map((number) => idOf("message", number)), read_to: null };
    if (acked.length) yield* append(tx, { type: "messages.collected", source: agent, payload, now });
  }
  yield* append(tx, { type: "entry.read", source: agent, payload: { entry: row.entry_id }, now });
  return { entry: entryView({ ...row, read_at: now }), already: false };
}

/** Whether its message is the one it was made from: an entry may have been imported from another bus. */
export function* ownMessage(row: EntryRow): Procedure<boolean> {
  if (row.message_id === null) return false;
  const found = yield* one(sql`
    select 1 as here from messages where messages.message_id = ${row.message_id} and messages.to_agent = ${person}
      and messages.from_agent = ${row.sender} and messages.created_at = ${row.created_at}`);
  return found !== undefined;
}
