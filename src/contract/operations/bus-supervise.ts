import * as v from "valibot";
import { operation } from "../operation.ts";
import { call, phrase } from "../phrase.ts";

export const busSupervise = operation({
  name: "bus.supervise",
  kind: "local",
  access: { on: "bus", scopes: ["admin"] },
  summary: "Start what is to run, look after it, and end when nothing is left",
  detail: phrase`${call("tasks.run")} starts one by itself where no hub serves the database. A second one is harmless.`,
  input: () => v.strictObject({}),
  output: () => v.strictObject({ started: v.number() }),
  errors: ["not_allowed", "storage"],
  cli: { command: "supervise", program: "orch" },
  http: { none: "the hub supervises by itself" },
  mcp: { none: "the hub supervises by itself" },
  examples: ["orch supervise"],
});
