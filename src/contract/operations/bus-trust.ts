import * as v from "valibot";
import { excludes } from "../combinations.ts";
import { flag, text } from "../fields.ts";
import { operation } from "../operation.ts";
import { blank, call, field, option, phrase } from "../phrase.ts";

export const busTrust = operation("bus.trust", "trust", () => ({
  kind: "local",
  access: { on: "bus", scopes: ["admin"] },
  summary: "Show the programs this bus can start, and approve them",
  detail: phrase`Shows the runners and gates of its profile file and the waiting tasks, and asks for confirmation; ${field("yes")} approves without asking. A bus you created with ${call("bus.init")} is already approved. A profile file is approved as it is now: a changed file must be approved again. In containers and CI, trust a folder instead: ${option("trust", blank("FOLDER"))}, or INBOX_TRUST=FOLDER[:FOLDER].`,
  input: () =>
    v.strictObject({
      yes: flag("approve without asking"),
      revoke: flag("withdraw the approval"),
      digest: v.optional(
        text("approve only if the digest matches the one shown earlier", { limit: 64, value: "HEX" }),
      ),
    }),
  combinations: [excludes("yes", "revoke"), excludes("digest", "revoke")],
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
  http: { none: "it is about programs here" },
  mcp: { none: "a person decides it" },
  examples: ["inbox trust", "inbox trust --yes", "inbox trust --revoke"],
}));
