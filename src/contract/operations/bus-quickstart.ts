import * as v from "valibot";
import { flag } from "../fields.ts";
import { operation } from "../operation.ts";
import { field, phrase } from "../phrase.ts";
import { setupClients } from "./bus-setup.ts";

export const busQuickstart = operation("bus.quickstart", "quickstart", () => ({
  kind: "local",
  access: { on: "bus", scopes: ["admin"] },
  summary: "Set everything up here: the bus, the agent programs you have, the hub, the page",
  detail: phrase`Every step is shown as the command that does it. It can be run again: what already exists is kept. It asks before it changes the configuration of an agent program; ${field("yes")} answers yes. Without a terminal it asks nothing, and changes no configuration unless ${field("yes")} is given.`,
  input: () =>
    v.strictObject({
      yes: flag("configure the agent programs it finds without asking"),
      noOpen: flag("do not open the page in a browser"),
    }),
  output: () =>
    v.strictObject({
      db: v.string(),
      url: v.string(),
      /** Agent programs that are installed here. */
      found: v.array(v.picklist(setupClients)),
      /** Those that are configured to use this bus now. */
      configured: v.array(v.picklist(setupClients)),
    }),
  errors: ["invalid_input", "storage"],
  http: { none: "it sets up programs here" },
  mcp: { none: "a person decides it" },
  examples: ["inbox quickstart", "inbox quickstart --yes --no-open"],
}));
