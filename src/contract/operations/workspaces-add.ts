import * as v from "valibot";
import { absolutePath, name, text } from "../fields.ts";
import { operation } from "../operation.ts";
import { sessionCommand, workspace } from "../workspace.ts";

export const workspacesAdd = operation("workspaces.add", "workspace add", () => ({
  kind: "write",
  access: { on: "bus", scopes: ["admin"] },
  summary: "Register a folder as a workspace",
  detail: "Its agent gets its own MCP address at the hub, /mcp/ID, where it can push to the person's inbox.",
  input: () =>
    v.strictObject({
      path: absolutePath("the folder"),
      label: text("its name as shown to people", { limit: 200 }),
      agent: v.optional(name("its agent's name (default: the workspace's id)", "NAME")),
      session: v.optional(sessionCommand()),
    }),
  output: () => v.strictObject({ workspace: workspace(), hubUrl: v.nullable(v.string()) }),
  errors: ["invalid_input"],
  cli: { plain: ["path"] },
  creates: true,
  http: ["POST /api/workspaces"],
  mcp: { none: "a workspace is made by whoever runs the agents" },
  examples: [
    'inbox workspace add . --label "Macro thesis"',
    'inbox workspace add . --label "Macro thesis" --session "claude --continue"',
  ],
}));
