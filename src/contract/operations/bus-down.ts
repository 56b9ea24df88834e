import * as v from "valibot";
import { hubElsewhere, hubState } from "../hub-state.ts";
import { operation } from "../operation.ts";
import { call, phrase } from "../phrase.ts";

export const busDown = operation("bus.down", "down", () => ({
  kind: "local",
  access: { on: "bus", scopes: ["admin"] },
  summary: "Stop the hub that runs in the background",
  detail: phrase`Open waits are answered and writes are completed; sub-agents continue. A hub in the foreground (${call("bus.serve")}) is left alone. A hub on another host that shares the folder cannot be stopped from here; if it is the only one, the command is refused.`,
  input: () => v.strictObject({}),
  output: () =>
    v.strictObject({
      db: v.string(),
      stopped: v.array(hubState()),
      /** Hubs of this bus that run in the foreground. */
      left: v.array(hubState()),
      /** It did not stop by itself, and was killed. */
      killed: v.boolean(),
      /** Hubs of other hosts, which only those can stop; only if there are any. */
      elsewhere: v.optional(v.array(hubElsewhere())),
    }),
  errors: ["not_initialized", "conflict", "storage"],
  http: { none: "it stops a process here" },
  mcp: { none: "a person decides it" },
  examples: ["inbox down"],
}));
