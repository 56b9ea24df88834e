import * as v from "valibot";
import { operation } from "../operation.ts";
import { workspace, workspaceId } from "../workspace.ts";

export const workspacesRemove = operation({
  name: "workspaces.remove",
  kind: "write",
  access: { on: "bus", scopes: ["admin"] },
  summary: "Forget a workspace",
  detail:
    "Its address at the hub is refused from then on. The folder is left as it is, and so are its entries; their documents are not shown any more.",
  input: () => v.strictObject({ workspace: workspaceId() }),
  output: () => v.strictObject({ workspace: workspace() }),
  errors: ["invalid_input", "not_found"],
  cli: { command: "workspace remove", plain: ["workspace"] },
  http: ["DELETE /api/workspaces/:workspace"],
  mcp: { none: "a workspace is removed by whoever runs the agents" },
  examples: ["inbox workspace remove ws-abc123"],
});
