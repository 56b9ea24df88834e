import * as v from "valibot";
import { text } from "../fields.ts";
import { operation } from "../operation.ts";
import { sessionCommand, workspace, workspaceId } from "../workspace.ts";

export const workspacesEdit = operation("workspaces.edit", "workspace edit", () => ({
  kind: "write",
  access: { on: "bus", scopes: ["admin"] },
  summary: "Change a workspace's label, or the command that reopens its agent's session",
  input: () =>
    v.strictObject({
      workspace: workspaceId(),
      label: v.optional(text("its name as shown to people", { limit: 200 })),
      session: v.optional(
        sessionCommand(
          "the shell command that reopens its agent's session, run in that folder (none: remove it)",
        ),
      ),
    }),
  output: () => v.strictObject({ workspace: workspace() }),
  errors: ["invalid_input", "not_found"],
  cli: { plain: ["workspace"] },
  http: ["PATCH /api/workspaces/:workspace"],
  mcp: { none: "a workspace is changed by whoever runs the agents" },
  examples: [
    'inbox workspace edit ws-abc123 --label "Macro thesis"',
    'inbox workspace edit ws-abc123 --session "claude --continue"',
    "inbox workspace edit ws-abc123 --session none",
  ],
}));
