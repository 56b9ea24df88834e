import * as v from "valibot";
import { absolutePath, flag, integer, names, text } from "../fields.ts";
import { operation } from "../operation.ts";
import { field, phrase } from "../phrase.ts";

export const busServe = operation({
  name: "bus.serve",
  kind: "local",
  access: { on: "bus", scopes: ["admin"] },
  summary: "Run the hub: REST, long poll and events for this database",
  detail: phrase`It creates the database if there is none. On this machine it needs no token unless ${field("auth")}; on another
    address it starts only when there are tokens. A database server that is away it waits for, and refuses calls
    meanwhile. Ctrl-C stops it: waiters get an answer, writes are finished.`,
  input: () =>
    v.strictObject({
      port: v.optional(integer("the port (default: 3456; 0: any)", { min: 0, max: 65_535 }), 3456),
      host: v.optional(
        text("the address to listen on (default: 127.0.0.1)", { limit: 256, value: "ADDRESS" }),
        "127.0.0.1",
      ),
      allowHost: v.optional(
        names("further names it is called by, through a proxy; then it wants tokens", "NAME,…"),
      ),
      auth: flag("want a token on every request, also from this machine"),
      dataDir: v.optional(
        absolutePath("where the journal of the person's inbox goes (default: beside a database file)"),
      ),
      dev: flag("for work on the page: POST /api/inbox/seed puts an entry into the person's inbox"),
    }),
  output: () =>
    v.strictObject({
      url: v.string(),
      db: v.string(),
      pid: v.number(),
      /** Whether every request needs a token. */ auth: v.boolean(),
    }),
  errors: ["invalid_input", "not_allowed", "storage"],
  cli: { command: "serve" },
  http: { none: "it is the hub" },
  mcp: { none: "it is the hub" },
  examples: ["inbox serve", "inbox serve --port 8080 --auth"],
});
