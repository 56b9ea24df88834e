/** [U12] The folder of an entry (inbox, archive, snoozed), and what muting does to new entries. */
import type { entryFolders } from "../contract/entry.ts";
import { InboxError } from "../contract/errors.ts";
import { idOf } from "../contract/ids.ts";
import type { Mute, MuteKind } from "../contract/mute.ts";
import { blank, field, phrase } from "../contract/phrase.ts";
import type { Context, Procedure } from "../sql/procedure.ts";
import { all, one } from "../sql/procedure.ts";
import { fragment, nothing, type Sql, sql } from "../sql/sql.ts";
import { columnsOf, type RowOf } from "../sql/table.ts";
import { mutes } from "../sql/tables.ts";
import { append } from "./event.ts";
import { findThread } from "./thread.ts";

const notArchived = fragment`entries.archived_at is null`;
const asleep = (now: string) =>
  sql`(entries.snoozed_at is not null and (entries.snoozed_until is null or entries.snoozed_until > ${now}))`;

/** The entries of a folder, by the time it is. */
export const inFolder = (folder: (typeof entryFolders)[number], now: string): Sql[] => {
  switch (folder) {
    case "inbox":
      return [notArchived, sql`not ${asleep(now)}`];
    case "archive":
      return [fragment`entries.archived_at is not null`];
    case "snoozed":
      return [notArchived, asleep(now)];
    case "all":
      return [];
  }
};

interface Fresh {
  sender?: string | null;
  thread_id: number | null;
}

/** An entry that was snoozed without a time comes back with the next entry of its thread or, if it has none, of its sender. */
export function* wakeSnoozed(tx: Context, { sender, thread_id }: Fresh, now: string): Procedure<void> {
  const same =
    thread_id === null
      ? sql`thread_id is null and sender = ${sender ?? null}`
      : sql`thread_id = ${thread_id}`;
  const woken = yield* all<{ entry_id: string; entry_number: number }>(sql`
    update entries set snoozed_at = null where snoozed_at is not null and snoozed_until is null and ${same}
    returning entry_id, entry_number`);
  woken.sort((a, b) => a.entry_number - b.entry_number);
  for (const { entry_id } of woken)
    yield* append(tx, {
      type: "entry.unsnoozed",
      source: sender ?? "user",
      payload: { entry: entry_id },
      now,
    });
}

/**
 * New entries of a muted agent or thread go to the archive and are marked as read. Questions are never muted, so this
 * is not called for them.
 */
export function* whereMuted(
  sender: string,
  thread: number | null,
  now: string,
): Procedure<{ archived_at?: string; read_at?: string }> {
  const ofThread =
    thread === null ? nothing : sql`or (mutes.kind = 'thread' and mutes.name = ${String(thread)})`;
  const found = yield* one(
    sql`select 1 as here from mutes where (mutes.kind = 'agent' and mutes.name = ${sender}) ${ofThread} limit 1`,
  );
  return found ? { archived_at: now, read_at: now } : {};
}

/** Either an agent or a thread is muted, never both. */
export function* mutedBy(asked: {
  name?: string;
  thread?: string;
}): Procedure<{ kind: MuteKind; name: string }> {
  if (asked.name === undefined && asked.thread === undefined)
    throw new InboxError("invalid_input", "neither an agent nor a thread was given", {
      hint: phrase`add ${field("name", blank("AGENT"))}, or ${field("thread", blank("THREAD"))}`,
    });
  if (asked.name !== undefined) return { kind: "agent", name: asked.name };
  const { thread_id } = yield* findThread(asked.thread!);
  return { kind: "thread", name: String(thread_id) };
}

const muteColumns = columnsOf(mutes);

export function* allMutes(): Procedure<Mute[]> {
  const rows = yield* all<RowOf<typeof mutes>>(sql`select ${muteColumns} from mutes`);
  const views = rows.map(({ kind, name, created_at }): Mute & { number: number } => ({
    name: kind === "agent" ? name : null,
    threadId: kind === "thread" ? idOf("thread", Number(name)) : null,
    createdAt: created_at,
    number: kind === "thread" ? Number(name) : 0,
  }));
  views.sort((a, b) => a.number - b.number || ((a.name ?? "") < (b.name ?? "") ? -1 : 1));
  return views.map(({ number: _, ...view }) => view);
}
