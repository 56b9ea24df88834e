import * as v from "valibot";
import { flag } from "../fields.ts";
import { operation } from "../operation.ts";
import { field, phrase, type Text } from "../phrase.ts";

/** Text once it is shown: whoever shows it spells it. */
const said = () => v.string() as unknown as v.GenericSchema<Text>;

export const busDoctor = operation("bus.doctor", "doctor", () => ({
  kind: "local",
  access: { on: "bus", scopes: ["admin"] },
  summary: "Check the database and print what to fix, or fix it",
  detail: phrase`With ${field("fix")} it repairs what needs no decision by a person: permissions of its own files, stale wake files, a lost supervisor, the person's journal, oversized logs, readers whose position has expired, files left by killed programs. It deletes nothing that is still needed. For each problem it does not repair it says why.`,
  input: () => v.strictObject({ fix: flag("repair what can be repaired without a decision") }),
  output: () =>
    v.strictObject({
      healthy: v.boolean(),
      checks: v.array(
        v.strictObject({
          name: v.string(),
          status: v.picklist(["ok", "warn", "fail"]),
          detail: v.string(),
          /** What to do about it. */
          fix: v.optional(said()),
          /** What was repaired now. */
          fixed: v.optional(v.string()),
          /** Why it is not repaired automatically, or could not be. */
          left: v.optional(said()),
        }),
      ),
      /** The checks that would be repaired. */
      fixable: v.array(v.string()),
    }),
  errors: ["not_initialized", "storage"],
  cli: { slash: true },
  http: { none: "it looks at the file; /readyz tells whether the hub is well" },
  mcp: { none: "it is about the database, not the bus" },
  unwell: ({ healthy }) => !healthy,
  examples: ["inbox doctor", "inbox doctor --fix"],
}));
