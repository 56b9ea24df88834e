import * as v from "valibot";
import { operation } from "../operation.ts";
import { call, phrase } from "../phrase.ts";

export const busSupervise = operation({
  name: "bus.supervise",
  kind: "local",
  access: { on: "bus", scopes: ["admin"] },
  summary: "Run released tasks, and exit when none are left",
  detail: phrase`${call("tasks.run")} starts a supervisor automatically if no hub serves the database. If another one supervises already, this one exits at once.`,
  input: () => v.strictObject({}),
  output: () => v.strictObject({ started: v.number(), another: v.boolean() }),
  errors: ["not_allowed", "storage"],
  cli: { command: "supervise", program: "orch" },
  http: { none: "the hub supervises by itself" },
  mcp: { none: "the hub supervises by itself" },
  examples: ["orch supervise"],
});
