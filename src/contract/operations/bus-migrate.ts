import * as v from "valibot";
import { text } from "../fields.ts";
import { operation } from "../operation.ts";

export const busMigrate = operation("bus.migrate", "migrate", () => ({
  kind: "local",
  access: { on: "bus", scopes: ["admin"] },
  summary: "Copy a whole bus to another database",
  detail:
    "Copies everything, including ids, cursors, leases and tokens, between files and Postgres in any direction. The source is " +
    "not changed. The target is created, or must be empty or an earlier copy. A repeated run copies only what is missing, so a " +
    "bus can be copied while it is in use, and again after its writers have been stopped.",
  input: () =>
    v.strictObject({
      from: text("the database to copy from: a file, or postgres://…", { limit: 4096, value: "DATABASE" }),
      to: text("the database to copy to: a file, or postgres://…", { limit: 4096, value: "DATABASE" }),
    }),
  output: () =>
    v.strictObject({
      from: v.string(),
      to: v.string(),
      /** The target did not exist. */
      created: v.optional(v.boolean()),
      busId: v.string(),
      tables: v.array(
        v.strictObject({ name: v.string(), rows: v.number(), copied: v.number(), deleted: v.number() }),
      ),
      rows: v.number(),
      copied: v.number(),
      deleted: v.number(),
      checksum: v.string(),
    }),
  errors: ["invalid_input", "not_initialized", "conflict", "busy", "storage"],
  http: { none: "it is about two databases; run it where both can be reached" },
  mcp: { none: "it is about two databases here" },
  examples: [
    "inbox migrate --from .agents/coord.db --to postgres://inbox:secret@db.example/agents",
    "inbox migrate --from .agents/coord.db --to copy.db",
  ],
}));
