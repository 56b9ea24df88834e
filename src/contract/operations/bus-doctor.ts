import * as v from "valibot";
import { operation } from "../operation.ts";
import type { Text } from "../phrase.ts";

/** Text once it is shown: whoever shows it spells it. */
const said = () => v.string() as unknown as v.GenericSchema<Text>;

export const busDoctor = operation({
  name: "bus.doctor",
  kind: "local",
  access: { on: "bus", scopes: ["admin"] },
  summary: "Check the database and print what to fix",
  input: () => v.strictObject({}),
  output: () =>
    v.strictObject({
      healthy: v.boolean(),
      checks: v.array(
        v.strictObject({
          name: v.string(),
          status: v.picklist(["ok", "warn", "fail"]),
          detail: v.string(),
          fix: v.optional(said()),
        }),
      ),
    }),
  errors: ["not_initialized", "storage"],
  cli: { command: "doctor", slash: true },
  http: { none: "it looks at the file; /readyz tells whether the hub is well" },
  mcp: { none: "it is about the database, not the bus" },
  unwell: ({ healthy }) => !healthy,
  examples: ["inbox doctor"],
});
