import * as v from "valibot";
import { person } from "../entry.ts";
import { name } from "../fields.ts";
import { endpoint } from "../notification.ts";
import { operation } from "../operation.ts";

export const notificationsRemove = operation("notifications.remove", "notify remove", () => ({
  kind: "write",
  access: { on: "person", does: "change" },
  summary: "Stop push notifications to a device",
  input: () =>
    v.strictObject({ endpoint: endpoint(), agent: v.optional(name("whose device it is", "NAME"), person) }),
  output: () => v.strictObject({ endpoint: v.string(), already: v.boolean() }),
  errors: ["invalid_input"],
  cli: { plain: ["endpoint"], identity: "agent", identityDefault: person },
  http: ["DELETE /api/notifications"],
  mcp: { none: "the inbox belongs to the person; models have no access to it" },
  examples: ["inbox notify remove https://updates.push.services.mozilla.com/wpush/v2/abc"],
}));
