import * as v from "valibot";
import { hubElsewhere, hubState } from "../hub-state.ts";
import { operation } from "../operation.ts";

export const busStatus = operation("bus.status", "status", () => ({
  kind: "local",
  access: { on: "bus", scopes: ["admin"] },
  summary: "Show whether a hub serves this bus on this machine, and where",
  input: () => v.strictObject({}),
  output: () =>
    v.strictObject({
      db: v.string(),
      running: v.boolean(),
      hubs: v.array(hubState()),
      /** Only if there are any. */
      elsewhere: v.optional(v.array(hubElsewhere())),
    }),
  errors: ["not_initialized", "storage"],
  http: { none: "/healthz and /readyz say it of the hub itself" },
  mcp: { none: "it is about processes here" },
  nothing: ({ running }) => !running,
  examples: ["inbox status"],
}));
