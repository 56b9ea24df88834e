/** [U15] Subscribes a device of the person to push notifications. */
import { InboxError } from "../../contract/errors.ts";
import { subscriptionLimit } from "../../contract/notification.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import { call, field, phrase } from "../../contract/phrase.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { one, run } from "../../sql/procedure.ts";
import { literal, sql } from "../../sql/sql.ts";
import { insert } from "../../sql/table.ts";
import { notificationSubscriptions } from "../../sql/tables.ts";
import { append } from "../event.ts";
import { findKey } from "../notification.ts";

export function* notificationsAdd(
  tx: Context,
  { endpoint, p256dh, auth, agent }: ParsedOf<"notifications.add">,
): Procedure<OutputOf<"notifications.add">> {
  if (!(yield* findKey()))
    throw new InboxError("invalid_state", "no hub of this bus sends push notifications", {
      hint: phrase`${call("bus.serve")} with ${field("notify")} sends them`,
    });
  const now = yield* tx.clock();
  const known = yield* one(sql`
    select 1 as here from notification_subscriptions where notification_subscriptions.endpoint = ${endpoint}
      and notification_subscriptions.p256dh = ${p256dh} and notification_subscriptions.auth = ${auth}
      and notification_subscriptions.agent_id = ${agent}`);
  if (known) return { endpoint, already: true };
  yield* run(sql`
    ${insert(notificationSubscriptions, { endpoint, p256dh, auth, agent_id: agent, created_at: now })}
    on conflict (endpoint) do update set p256dh = excluded.p256dh, auth = excluded.auth,
      agent_id = excluded.agent_id, created_at = excluded.created_at`);
  yield* run(sql`delete from notification_subscriptions where endpoint not in (
    select kept.endpoint from notification_subscriptions as kept
    order by kept.created_at desc, kept.endpoint limit ${literal(subscriptionLimit)})`);
  yield* append(tx, {
    type: "notifications.added",
    source: agent,
    payload: { service: serviceOf(endpoint) },
    now,
  });
  return { endpoint, already: false };
}

/** The rest of the address is a secret between the device and the sender of notifications. */
export const serviceOf = (endpoint: string) => new URL(endpoint).origin;
