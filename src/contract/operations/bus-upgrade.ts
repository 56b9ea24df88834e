import * as v from "valibot";
import { flag } from "../fields.ts";
import { operation } from "../operation.ts";

/** How the program came here; `copy` is by none of the known ways. */
export const installations = ["npm", "deb", "brew", "script", "checkout", "copy"] as const;

export const busUpgrade = operation("bus.upgrade", "upgrade", () => ({
  kind: "local",
  access: { on: "bus", scopes: ["admin"] },
  summary: "Report whether there is a newer version, and how to upgrade",
  detail:
    "The program does not replace itself: the output names the command that does. It looks in INBOX_RELEASES (an address or a folder); if that is not set and npm installed this program, " +
    "in npm's configured registry. The first command of a newer version upgrades the database, and keeps a copy of the old one for 7 days.",
  input: () =>
    v.strictObject({ check: flag("only report; the command does nothing else, with or without this flag") }),
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
  http: { none: "it is about the program here" },
  mcp: { none: "a person installs programs" },
  examples: ["inbox upgrade --check"],
}));
