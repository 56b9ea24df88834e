/** [U15] Devices that get push notifications, the key they subscribed with, and what they are sent. */
import { type Notice, subscriptionLimit } from "../contract/notification.ts";
import type { Context, Procedure } from "../sql/procedure.ts";
import { all, one, run } from "../sql/procedure.ts";
import { literal, sql } from "../sql/sql.ts";
import { columnsOf, insert, type RowOf } from "../sql/table.ts";
import { notificationKeys, notificationSubscriptions } from "../sql/tables.ts";
import { type EntryRow, entryColumns } from "./entry.ts";

export type KeyRow = RowOf<typeof notificationKeys>;
export type SubscriptionRow = RowOf<typeof notificationSubscriptions>;
const keyColumns = columnsOf(notificationKeys);
export const subscriptionColumns = columnsOf(notificationSubscriptions);

export function* findKey(): Procedure<KeyRow | undefined> {
  return yield* one<KeyRow>(
    sql`select ${keyColumns} from notification_keys order by notification_keys.created_at, notification_keys.public_key limit 1`,
  );
}

/** The key of this bus; if it has none, `fresh` becomes its key. */
export function* keepKey(tx: Context, fresh: Omit<KeyRow, "created_at">): Procedure<KeyRow> {
  yield* tx.lock("notification key");
  const known = yield* findKey();
  if (known) return known;
  const row = { ...fresh, created_at: yield* tx.clock() };
  yield* run(insert(notificationKeys, row));
  return row;
}

export function* subscriptions(): Procedure<SubscriptionRow[]> {
  return yield* all<SubscriptionRow>(sql`
    select ${subscriptionColumns} from notification_subscriptions
    order by notification_subscriptions.created_at desc, notification_subscriptions.endpoint
    limit ${literal(subscriptionLimit)}`);
}

export function* forgetSubscription(endpoint: string): Procedure<boolean> {
  const gone = yield* one(
    sql`delete from notification_subscriptions where endpoint = ${endpoint} returning endpoint`,
  );
  return gone !== undefined;
}

/** [X2] A token may be revoked because a device was lost. The page subscribes again on the devices that are still used. */
export function* forgetDevicesOf(agent: string): Procedure<void> {
  yield* run(sql`delete from notification_subscriptions where agent_id = ${agent}`);
}

export function* newestEntry(): Procedure<number> {
  const row = yield* one<{ last: number | null }>(sql`select max(entries.entry_number) as last from entries`);
  return row?.last ?? 0;
}

/** Entries that need the person and came after one. */
export function* needingAfter(number: number): Procedure<{ number: number; notice: Notice }[]> {
  const rows = yield* all<EntryRow>(sql`
    select ${entryColumns} from entries
    where entries.needs is not null and entries.entry_number > ${number} and entries.deleted_at is null
    order by entries.entry_number limit 20`);
  return rows.map((row) => ({ number: row.entry_number, notice: noticeOf(row) }));
}

const bodyLength = 200;

/** The first line of it. The push service sees only that there is a notification; only the device can read it. */
function noticeOf(row: EntryRow): Notice {
  const line = row.comments.split("\n").find((one) => one.trim() !== "") ?? "";
  return {
    title: row.workspace_label ?? row.sender ?? "Restante",
    body: line.slice(0, bodyLength).toWellFormed(),
    id: row.entry_id,
  };
}
