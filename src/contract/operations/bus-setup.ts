import * as v from "valibot";
import { excludes, needs } from "../combinations.ts";
import { choice, flag, name, text } from "../fields.ts";
import { operation } from "../operation.ts";
import { field, phrase } from "../phrase.ts";

export const setupClients = ["claude", "codex", "gemini", "cursor", "vscode", "opencode"] as const;

export const busSetup = operation("bus.setup", "setup", () => ({
  kind: "local",
  access: { on: "everybody" },
  summary: "Configure an agent program to use this bus over MCP",
  detail: phrase`Shows the change as a diff and writes it after confirmation, or with ${field("yes")}. Only the entry named inbox is changed. ${field("remove")} removes it. Tokens are never written: with ${field("url")} and INBOX_TOKEN set, the entry refers to that variable.`,
  input: () =>
    v.strictObject({
      client: choice(setupClients, `the program to configure: ${setupClients.join(", ")}`, "CLIENT"),
      scope: v.optional(
        choice(
          ["project", "user"],
          "configure this project, or all projects of this user (default: project)",
        ),
        "project",
      ),
      agent: v.optional(
        name(
          "the agent's name on the bus, written as INBOX_AGENT (default: the one in the client's configuration, else main)",
        ),
      ),
      url: v.optional(
        text("connect to this hub (or HUB/mcp/WORKSPACE) instead of starting a local server", {
          limit: 2048,
          value: "HUB",
        }),
      ),
      session: v.optional(
        text(
          "the command that reopens the agent's session, shown on entries of this folder's workspace (default: the client's own command; none: do not set one)",
          { limit: 4096, value: "COMMAND" },
        ),
      ),
      remove: flag("remove the entry"),
      yes: flag("write without asking"),
    }),
  combinations: [excludes("remove", "agent", "url", "session"), needs("session", "scope", "project")],
  output: () =>
    v.strictObject({
      file: v.string(),
      changed: v.boolean(),
      /** Whether it is to have the entry: not where that is removed. */
      configured: v.boolean(),
      diff: v.string(),
      written: v.boolean(),
      /** Who the agent will be; null where a token or a workspace's address says it, or the entry was taken out. */
      agent: v.nullable(v.string()),
      /** The way back into its session, where this folder is a workspace; `written` where it was set now. */
      session: v.nullable(
        v.strictObject({ workspaceId: v.string(), command: v.string(), written: v.boolean() }),
      ),
    }),
  errors: ["invalid_input", "not_allowed", "conflict", "storage"],
  cli: { plain: ["client"] },
  http: { none: "it writes a file of a program here" },
  mcp: { none: "it writes a file of a program here" },
  examples: [
    "inbox setup claude --agent backend-worker",
    "inbox setup codex --scope user --yes",
    "inbox setup vscode --url http://127.0.0.1:3456",
    "inbox setup claude --url http://127.0.0.1:3456/mcp/ws-4f0vexmp1e5hb2kq9c7d",
    "inbox setup cursor --remove",
  ],
}));
