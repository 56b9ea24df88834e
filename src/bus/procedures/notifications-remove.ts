/** [U15] Unsubscribes a device of the person from push notifications. */
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { append } from "../event.ts";
import { forgetSubscription } from "../notification.ts";
import { serviceOf } from "./notifications-add.ts";

export function* notificationsRemove(
  tx: Context,
  { endpoint, agent }: ParsedOf<"notifications.remove">,
): Procedure<OutputOf<"notifications.remove">> {
  const gone = yield* forgetSubscription(endpoint);
  const now = yield* tx.clock();
  const payload = { service: serviceOf(endpoint) };
  if (gone) yield* append(tx, { type: "notifications.removed", source: agent, payload, now });
  return { endpoint, already: !gone };
}
