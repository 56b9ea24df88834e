/** [U12] Marks as read every entry that the person has seen in the list. */

import { person } from "../../contract/entry.ts";
import { idOf } from "../../contract/ids.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all } from "../../sql/procedure.ts";
import { fragment, joined, sql } from "../../sql/sql.ts";
import { seen } from "../agent.ts";
import { newerThan, placeOf } from "../entry.ts";
import { inFolder } from "../entry-folder.ts";
import { append } from "../event.ts";
import { acknowledge } from "../message.ts";

export function* entriesReadAll(
  tx: Context,
  { workspaceId, upTo, agent }: ParsedOf<"entries.readAll">,
): Procedure<OutputOf<"entries.readAll">> {
  const place = upTo === undefined ? undefined : yield* placeOf(upTo);
  const now = yield* tx.clock();
  const which = [
    fragment`entries.deleted_at is null and entries.read_at is null`,
    ...inFolder("inbox", now),
    ...(workspaceId === undefined ? [] : [sql`entries.workspace_id = ${workspaceId}`]),
    ...(place ? [sql`not ${newerThan(place)}`] : []),
  ];
  const rows = yield* all<{ entry_id: string; entry_number: number; message_id: number | null }>(sql`
    update entries set read_at = ${now} where ${joined(which, " and ")} returning entry_id, entry_number, message_id`);
  if (!rows.length) return { read: 0 };
  rows.sort((a, b) => a.entry_number - b.entry_number);
  yield* seen(tx, agent, now);
  const letters = rows.flatMap(({ message_id }) => message_id ?? []);
  if (letters.length) {
    const own = sql`message_id in (${joined(letters)}) and to_agent = ${person}`;
    const acked = yield* acknowledge({ agent, names: [person], which: own, now, seen: true });
    const payload = { messages: acked.map((number) => idOf("message", number)), read_to: null };
    if (acked.length) yield* append(tx, { type: "messages.collected", source: agent, payload, now });
  }
  const entries = rows.map(({ entry_id }) => entry_id);
  yield* append(tx, { type: "entries.read", source: agent, payload: { entries }, now });
  return { read: rows.length };
}
