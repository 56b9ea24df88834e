/** [U15] The key to subscribe with. */
import type { OutputOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { findKey } from "../notification.ts";

export function* notificationsKey(_tx: Context): Procedure<OutputOf<"notifications.key">> {
  return { publicKey: (yield* findKey())?.public_key ?? null };
}
