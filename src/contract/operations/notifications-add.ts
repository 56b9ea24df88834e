import * as v from "valibot";
import { person } from "../entry.ts";
import { name } from "../fields.ts";
import { authSecret, endpoint, p256dh, subscriptionLimit } from "../notification.ts";
import { operation } from "../operation.ts";

export const notificationsAdd = operation("notifications.add", "notify add", () => ({
  kind: "write",
  access: { on: "person", does: "change" },
  summary: "Send push notifications to a device of the person",
  detail: `The device is notified of entries that need the person. The page calls this with the subscription that the browser's PushManager returns. At most ${subscriptionLimit} devices are kept. A device is removed when its push service reports it as gone, or when a token of the agent that added it is revoked.`,
  input: () =>
    v.strictObject({
      endpoint: endpoint(),
      p256dh: p256dh(),
      auth: authSecret(),
      agent: v.optional(name("whose device it is", "NAME"), person),
    }),
  output: () => v.strictObject({ endpoint: v.string(), already: v.boolean() }),
  errors: ["invalid_input", "invalid_state"],
  cli: { plain: ["endpoint"], identity: "agent", identityDefault: person },
  http: ["PUT /api/notifications"],
  mcp: { none: "the inbox belongs to the person; models have no access to it" },
  examples: [
    "inbox notify add https://updates.push.services.mozilla.com/wpush/v2/abc --p256dh BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4 --auth BTBZMqHH6r4Tts7J_aSIgg",
  ],
}));
