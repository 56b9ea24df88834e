import * as v from "valibot";
import { operation } from "../operation.ts";
import { call, phrase } from "../phrase.ts";

export const busSupervise = operation("bus.supervise", "supervise", () => ({
  kind: "local",
  access: { on: "bus", scopes: ["admin"] },
  summary: "Run released tasks, and exit when none are left",
  detail: phrase`${call("tasks.run")} starts a supervisor automatically if no hub serves the database. It also stays for tasks that an earlier supervisor has started. If another one supervises already, it exits at once.`,
  input: () => v.strictObject({}),
  output: () => v.strictObject({ started: v.number(), ended: v.picklist(["idle", "another", "stopped"]) }),
  errors: ["not_allowed", "storage"],
  cli: { program: "orch" },
  http: { none: "the hub supervises by itself" },
  mcp: { none: "the hub supervises by itself" },
  examples: ["orch supervise"],
}));
