import * as v from "valibot";
import { choice, flag, name, text } from "../fields.ts";
import { operation } from "../operation.ts";
import { field, phrase } from "../phrase.ts";

export const setupClients = ["claude", "codex", "gemini", "cursor", "vscode", "opencode"] as const;

export const busSetup = operation({
  name: "bus.setup",
  kind: "local",
  access: { on: "everybody" },
  summary: "Give an agent's program the tools: write its MCP configuration",
  detail: phrase`Shows the change as a diff and writes it after a y on the terminal, or with ${field("yes")}. Only the entry
    inbox is touched. ${field("remove")} takes it out again. Tokens are never written: with ${field("url")} and
    INBOX_TOKEN set, the entry refers to that variable.`,
  input: () =>
    v.strictObject({
      client: choice(setupClients, `the program to configure: ${setupClients.join(", ")}`, "CLIENT"),
      scope: v.optional(
        choice(["project", "user"], "for this folder, or for all of yours (default: project)"),
        "project",
      ),
      agent: v.optional(
        name(
          "who the agent is on the bus (INBOX_AGENT of the entry; default: INBOX_AGENT of the client, else main)",
        ),
      ),
      url: v.optional(
        text("a hub, or HUB/mcp/WORKSPACE: the client connects there instead of starting inbox", {
          limit: 2048,
          value: "HUB",
        }),
      ),
      remove: flag("take the entry out again"),
      yes: flag("write without asking"),
    }),
  output: () =>
    v.strictObject({
      file: v.string(),
      changed: v.boolean(),
      diff: v.string(),
      written: v.boolean(),
      /** Who the agent will be; null where a token or a workspace's address says it, or the entry was taken out. */
      agent: v.nullable(v.string()),
    }),
  errors: ["invalid_input", "not_allowed", "conflict", "storage"],
  cli: { command: "setup", plain: ["client"] },
  http: { none: "it writes a file of a program here" },
  mcp: { none: "it writes a file of a program here" },
  examples: [
    "inbox setup claude --agent backend-worker",
    "inbox setup codex --scope user --yes",
    "inbox setup vscode --url http://127.0.0.1:3456",
    "inbox setup claude --url http://127.0.0.1:3456/mcp/ws-4f0vexmp1e5hb2kq9c7d",
    "inbox setup cursor --remove",
  ],
});
