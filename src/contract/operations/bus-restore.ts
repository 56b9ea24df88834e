import * as v from "valibot";
import { absolutePath, flag, text } from "../fields.ts";
import { operation } from "../operation.ts";
import { call, field, option, phrase } from "../phrase.ts";

export const busRestore = operation("bus.restore", "restore", () => ({
  kind: "local",
  access: { on: "bus", scopes: ["admin"] },
  summary: "Restore a bus from a backup, after checking all of it",
  detail: phrase`Restores to the database given by ${option("db")}, else to the one found here, else to a new one here. An existing bus is replaced only with ${field("force")}, and kept under another name. Refused while a hub, a supervisor or any other process uses it. The restored bus may start programs only if you made the backup with this account from a bus you had approved; otherwise approve it with ${call("bus.trust")}.`,
  input: () =>
    v.strictObject({
      file: text("the backup", { limit: 4096, value: "FILE" }),
      force: flag("replace the bus that is there; it is kept under another name"),
      dataDir: v.optional(
        absolutePath(
          "the hub's data folder, for the journal (default: beside the database file; on a server: not restored)",
        ),
      ),
    }),
  output: () =>
    v.strictObject({
      db: v.string(),
      file: v.string(),
      busId: v.string(),
      createdAt: v.string(),
      rows: v.number(),
      /** What was there before, under its new name. */
      kept: v.array(v.string()),
      trusted: v.boolean(),
      warnings: v.optional(v.array(v.string())),
    }),
  errors: ["invalid_input", "not_found", "not_allowed", "conflict", "busy", "storage"],
  cli: { plain: ["file"] },
  http: { none: "it replaces the database of a hub" },
  mcp: { none: "it is about a file here" },
  examples: [
    "inbox restore bus.tar",
    "inbox restore bus.tar --db restored.db",
    "inbox restore bus.tar --force",
  ],
}));
