import * as v from "valibot";
import { operation } from "../operation.ts";
import { workspace, workspaceId } from "../workspace.ts";

export const workspacesRemove = operation("workspaces.remove", "workspace remove", () => ({
  kind: "write",
  access: { on: "bus", scopes: ["admin"] },
  summary: "Remove a workspace",
  detail:
    "Its address at the hub stops working. The folder and its entries are kept; the entries no longer show documents.",
  input: () => v.strictObject({ workspace: workspaceId() }),
  output: () => v.strictObject({ workspace: workspace() }),
  errors: ["invalid_input", "not_found"],
  cli: { plain: ["workspace"] },
  http: ["DELETE /api/workspaces/:workspace"],
  mcp: { none: "a workspace is removed by whoever runs the agents" },
  examples: ["inbox workspace remove ws-abc123"],
}));
