import * as v from "valibot";
import { entry, entryId, person } from "../entry.ts";
import { name } from "../fields.ts";
import { operation } from "../operation.ts";
import { field, phrase } from "../phrase.ts";
import { time } from "../time.ts";

export const entriesSnooze = operation("entries.snooze", "entries snooze", () => ({
  kind: "write",
  access: { on: "entry", by: "id", does: "change" },
  summary: "Hide an entry until later",
  detail: phrase`The entry leaves the inbox until the given time. Without ${field("until")} it comes back with the next entry of its thread, or, if it belongs to no thread, with the next entry of its sender.`,
  input: () =>
    v.strictObject({
      id: entryId(),
      until: v.optional(
        time("when it comes back, in ISO 8601 (default: with the next entry of its thread or sender)"),
      ),
      agent: v.optional(name("who snoozes it", "NAME"), person),
    }),
  output: () => v.strictObject({ entry: entry() }),
  errors: ["invalid_input", "not_found"],
  cli: { plain: ["id"], identity: "agent", identityDefault: person },
  http: ["PUT /api/inbox/:id/snooze"],
  mcp: { none: "the inbox belongs to the person; models have no access to it" },
  examples: [
    "inbox entries snooze 0b7d2c1e-5f3a-4a44-9d86-1f0c8a7e2b11 --until 2099-05-18T08:00:00Z",
    "inbox entries snooze 0b7d2c1e-5f3a-4a44-9d86-1f0c8a7e2b11",
  ],
}));
