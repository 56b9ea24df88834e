import * as v from "valibot";
import { choice, flag, integer, names, text } from "../fields.ts";
import { hubState, managers } from "../hub-state.ts";
import { operation } from "../operation.ts";
import { call, field, phrase } from "../phrase.ts";

export const busUp = operation("bus.up", "up", () => ({
  kind: "local",
  access: { on: "bus", scopes: ["admin"] },
  summary: "Start the hub in the background, as a service where the system has one",
  detail: phrase`Creates the database if there is none. Uses a systemd user unit or launchd, else a detached process. A hub that is already running is left as it is. Without ${field("port")} it uses its previous port. If it had none, it uses 3456, or the next free port that belongs to no other bus of yours. A port of another bus is used until the hub stops, and then belongs to that bus again. If tokens are required and there is none, it creates one and shows it once. See also ${call("bus.status")}, ${call("bus.logs")} and ${call("bus.down")}.`,
  input: () =>
    v.strictObject({
      port: v.optional(
        integer("the port (default: its previous port, else 3456 or the next free port)", {
          min: 1,
          max: 65_535,
        }),
      ),
      host: v.optional(
        text("the address to listen on (default: 127.0.0.1)", { limit: 256, value: "ADDRESS" }),
      ),
      allowHost: v.optional(
        names("additional host names it accepts, for use behind a proxy; requires tokens", "NAME,…"),
      ),
      auth: flag("require a token on every request, even from this machine"),
      manager: v.optional(
        choice(managers, "what keeps it running (default: the system's own, else a detached process)"),
      ),
    }),
  output: () =>
    v.strictObject({
      db: v.string(),
      /** The database did not exist. */
      created: v.optional(v.boolean()),
      hub: hubState(),
      already: v.boolean(),
      /** Made now, because tokens are required and there was none; it is not shown again. */
      token: v.nullable(v.string()),
      comesBack: v.picklist(["at login", "not"]),
      /** Why it does not have the port that it had before, or 3456. */
      portReason: v.optional(v.string()),
      warnings: v.optional(v.array(v.string())),
    }),
  errors: ["invalid_input", "conflict", "not_allowed", "storage"],
  http: { none: "it starts a process here" },
  mcp: { none: "a person decides it" },
  examples: ["inbox up", "inbox up --port 8080 --auth"],
}));
