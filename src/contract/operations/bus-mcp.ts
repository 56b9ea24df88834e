import * as v from "valibot";
import { choices } from "../fields.ts";
import { operation, toolListings } from "../operation.ts";
import { field, option, phrase } from "../phrase.ts";

export const busMcp = operation("bus.mcp", "mcp", () => ({
  kind: "local",
  access: { on: "everybody" },
  summary: "Serve this bus to a model over MCP, on standard input and output",
  detail: phrase`Meant for an agent's configuration, not for a terminal. The agent's name is that of ${field("agent")}, INBOX_AGENT or the token, else main. ${option("db")} may be a hub. If there is no bus, the first tool call creates one. Without ${field("tools")} about a dozen tools are listed; the others can be called all the same.`,
  input: () =>
    v.strictObject({
      tools: v.optional(
        choices(
          toolListings,
          `sets of tools to list: ${toolListings.join(", ")} (default: a dozen of the most used)`,
          "SET,…",
        ),
      ),
    }),
  output: () => v.strictObject({}),
  errors: ["invalid_input", "not_initialized", "storage"],
  http: { none: "it is a way to reach the bus; the hub has /mcp" },
  mcp: { none: "it is the server" },
  examples: ["inbox mcp", "INBOX_AGENT=backend-worker inbox mcp --tools worker,mailbox"],
}));
