import * as v from "valibot";
import { flag, integer } from "../fields.ts";
import { logLine } from "../hub-state.ts";
import { operation } from "../operation.ts";
import { call, phrase } from "../phrase.ts";

export const busLogs = operation("bus.logs", "logs", () => ({
  kind: "local",
  access: { on: "bus", scopes: ["admin"] },
  summary: "Show the log of the hub that runs in the background",
  detail: phrase`Only a hub that was started with ${call("bus.up")} has this log. It is kept in two files of at most 4 MiB each.`,
  input: () =>
    v.strictObject({
      lines: v.optional(
        integer("number of lines from the end (default: 100)", { min: 0, max: 100_000 }),
        100,
      ),
      follow: flag("continue with new lines as they are written"),
    }),
  output: () => v.strictObject({ log: v.string(), lines: v.array(logLine()) }),
  errors: ["not_initialized", "storage"],
  http: { none: "it is a file here" },
  mcp: { none: "it is a file here" },
  examples: ["inbox logs", "inbox logs --lines 20 --follow"],
}));
