import * as v from "valibot";
import { absolutePath, choice, described, flag, integer, names, text } from "../fields.ts";
import { operation } from "../operation.ts";
import { field, phrase } from "../phrase.ts";

export const busServe = operation("bus.serve", "serve", () => ({
  kind: "local",
  access: { on: "bus", scopes: ["admin"] },
  summary: "Run the hub: web page, REST API, MCP and events for this database",
  detail: phrase`Creates the database if there is none. On the loopback address it requires no token unless ${field("auth")} is given; on any other address it starts only if a token exists. If the database server is unreachable, the hub waits for it and refuses calls until then. Ctrl-C stops it: open waits are answered and writes are completed.`,
  input: () =>
    v.strictObject({
      port: v.optional(integer("the port (default: 3456; 0: any)", { min: 0, max: 65_535 }), 3456),
      host: v.optional(
        text("the address to listen on (default: 127.0.0.1)", { limit: 256, value: "ADDRESS" }),
        "127.0.0.1",
      ),
      allowHost: v.optional(
        names("additional host names it accepts, for use behind a proxy; requires tokens", "NAME,…"),
      ),
      auth: flag("require a token on every request, even from this machine"),
      dataDir: v.optional(
        absolutePath("folder for the journal of the person's inbox (default: beside the database file)"),
      ),
      log: v.optional(
        choice(["text", "json"], "log requests and warnings, one line each (default: warnings only)"),
      ),
      logFile: v.optional(
        absolutePath(
          "write the log to this file, and older lines to PATH.1, at most 4 MiB each (default: standard error)",
        ),
      ),
      notify: v.optional(
        described(
          v.pipe(
            v.string("must be text"),
            v.regex(
              /^(mailto:[^@\s]+@[^@\s]+|https:\/\/\S+)$/,
              "must be mailto:NAME@HOST or an https address",
            ),
          ),
          {
            type: "text",
            value: "CONTACT",
            example: "mailto:you@example.org",
            help: "send push notifications about entries that need the person; the browsers' push services are given this contact (mailto:… or https://…)",
          },
        ),
      ),
      dev: flag("for developing the page: POST /api/inbox/seed adds a sample entry to the person's inbox"),
    }),
  output: () =>
    v.strictObject({
      url: v.string(),
      db: v.string(),
      /** The database did not exist. */ created: v.optional(v.boolean()),
      pid: v.number(),
      /** Whether every request needs a token. */ auth: v.boolean(),
    }),
  errors: ["invalid_input", "not_allowed", "storage"],
  http: { none: "it is the hub" },
  mcp: { none: "it is the hub" },
  examples: ["inbox serve", "inbox serve --port 8080 --auth", "inbox serve --log json"],
}));
