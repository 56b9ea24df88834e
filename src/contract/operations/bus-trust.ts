import * as v from "valibot";
import { flag, text } from "../fields.ts";
import { operation } from "../operation.ts";
import { blank, call, field, option, phrase } from "../phrase.ts";

export const busTrust = operation({
  name: "bus.trust",
  kind: "local",
  access: { on: "bus", scopes: ["admin"] },
  summary: "Approve that programs are started for this bus, after a look at them",
  detail: phrase`Shows the runners and gates of its profile file and the tasks that wait, and asks; ${field("yes")} approves
    without asking. A bus you made with ${call("bus.init")} is approved already. A profile file is approved as it
    is now: after a change it asks again. Containers and CI name a folder instead:
    ${option("trust", blank("FOLDER"))}, or INBOX_TRUST=FOLDER[:FOLDER].`,
  input: () =>
    v.strictObject({
      yes: flag("approve without asking"),
      revoke: flag("take the approval back"),
      digest: v.optional(
        text("approve only what has this digest, as an earlier answer gave it", { limit: 64, value: "HEX" }),
      ),
    }),
  output: () =>
    v.strictObject({
      db: v.string(),
      profiles: v.nullable(v.string()),
      /** The whole file: what it sets beside commands decides, too, what is run. */
      content: v.nullable(v.string()),
      runs: v.array(v.strictObject({ name: v.string(), what: v.string(), command: v.array(v.string()) })),
      waiting: v.array(
        v.strictObject({
          name: v.string(),
          profile: v.nullable(v.string()),
          cwd: v.string(),
          prompt: v.string(),
        }),
      ),
      digest: v.string(),
      trusted: v.boolean(),
    }),
  errors: ["invalid_input", "not_allowed", "not_initialized", "conflict", "storage"],
  cli: { command: "trust" },
  http: { none: "it is about programs here" },
  mcp: { none: "a person decides it" },
  examples: ["inbox trust", "inbox trust --yes", "inbox trust --revoke"],
});
