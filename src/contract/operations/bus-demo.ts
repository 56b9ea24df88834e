import * as v from "valibot";
import { flag } from "../fields.ts";
import { operation } from "../operation.ts";

export const busDemo = operation("bus.demo", "demo", () => ({
  kind: "local",
  access: { on: "everybody" },
  summary:
    "Run a demonstration: four sub-agents work, their results are gathered, and you are asked a question",
  detail:
    "Needs no model: the sub-agents are a shell script. It works on a bus of its own in a temporary folder, with a hub, and removes both at the end. Every command is shown as it is run.",
  input: () => v.strictObject({ noOpen: flag("do not open the page in a browser") }),
  output: () =>
    v.strictObject({
      url: v.string(),
      results: v.array(v.strictObject({ from: v.string(), success: v.boolean() })),
      /** What was answered to the question, on the page or by the demo itself. */
      answer: v.nullable(v.string()),
    }),
  errors: ["storage"],
  http: { none: "it starts programs here" },
  mcp: { none: "it is for people" },
  examples: ["inbox demo", "inbox demo --no-open"],
}));
