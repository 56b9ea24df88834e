/** Workspaces and their agents. */
import type { NounRenders } from "./noun-renders.ts";
import { cut, safe } from "./safe.ts";
import { textTable } from "./text-table.ts";

export const workspaceRenders: NounRenders<"workspaces"> = {
  "workspaces.add": ({ workspace }) =>
    `${workspace.workspaceId} ${safe(workspace.label)}\n  its agent speaks MCP at /mcp/${workspace.workspaceId} of the hub, as ${safe(workspace.agent)}`,
  "workspaces.remove": ({ workspace }) => `forgot ${workspace.workspaceId} ${safe(workspace.label)}`,
  "workspaces.list": ({ workspaces }, paint) =>
    workspaces.length
      ? textTable(
          ["workspace", "agent", "label", "path"],
          workspaces.map((each) => [
            each.workspaceId,
            cut(each.agent, 24),
            cut(each.label, 30),
            safe(each.path),
          ]),
          paint.dim,
        )
      : "no workspaces; inbox workspace add PATH --label TEXT makes one",
};
