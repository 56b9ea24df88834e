import * as v from "valibot";
import { operation } from "../operation.ts";

export const notificationsKey = operation("notifications.key", "notify key", () => ({
  kind: "read",
  access: { on: "person", does: "read" },
  summary: "Show the public key that browsers need to subscribe to push notifications",
  detail: "The key is null until a hub of this bus has been started with push notifications.",
  input: () => v.strictObject({}),
  output: () => v.strictObject({ publicKey: v.nullable(v.string()) }),
  errors: [],
  http: ["GET /api/notifications/key"],
  mcp: { none: "the inbox belongs to the person; models have no access to it" },
  examples: ["inbox notify key"],
}));
