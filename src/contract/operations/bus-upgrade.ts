import * as v from "valibot";
import { flag } from "../fields.ts";
import { operation } from "../operation.ts";

/** How the program came here; `copy` is by none of the known ways. */
export const installations = ["npm", "deb", "brew", "script", "checkout", "copy"] as const;

export const busUpgrade = operation({
  name: "bus.upgrade",
  kind: "local",
  access: { on: "bus", scopes: ["admin"] },
  summary: "Report whether there is a newer version, and how to upgrade",
  detail:
    "The program does not replace itself: the answer names the command that does. It asks the release that INBOX_RELEASES names (an address or a folder), else npm's configured registry " +
    "where npm installed this program. A database is brought forward by the next command of a newer program, which keeps a copy of it for 7 days.",
  input: () => v.strictObject({ check: flag("only report; this is also the default") }),
  output: () =>
    v.strictObject({
      version: v.string(),
      /** Where this program really is. */
      program: v.string(),
      installedBy: v.picklist(installations),
      /** Null where it could not be found out; `problem` says why. */
      latest: v.nullable(v.string()),
      newer: v.boolean(),
      problem: v.nullable(v.string()),
      upgradeCommand: v.string(),
    }),
  errors: [],
  cli: { command: "upgrade" },
  http: { none: "it is about the program here" },
  mcp: { none: "a person installs programs" },
  examples: ["inbox upgrade --check"],
});
