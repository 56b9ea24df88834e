import * as v from "valibot";
import { text } from "../fields.ts";
import { operation } from "../operation.ts";

export const busMigrate = operation({
  name: "bus.migrate",
  kind: "local",
  access: { on: "bus", scopes: ["admin"] },
  summary: "Copy a whole bus to another database",
  detail:
    "From a file to Postgres, back, or between two of a kind: everything, with ids, cursors, leases and tokens. The source is " +
    "not changed. The target is made, or must be empty or an earlier copy. Killed or repeated, it copies only what is missing, so a " +
    "bus can be copied while it is in use, and once more after whatever writes to it has been stopped.",
  input: () =>
    v.strictObject({
      from: text("the bus to copy: a file, or postgres://…", { limit: 4096, value: "PLACE" }),
      to: text("where it goes: a file, or postgres://…", { limit: 4096, value: "PLACE" }),
    }),
  output: () =>
    v.strictObject({
      from: v.string(),
      to: v.string(),
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
  cli: { command: "migrate" },
  http: { none: "it is about two databases; run it where both can be reached" },
  mcp: { none: "it is about two databases here" },
  examples: [
    "inbox migrate --from .agents/coord.db --to postgres://inbox:secret@db.example/agents",
    "inbox migrate --from .agents/coord.db --to copy.db",
  ],
});
