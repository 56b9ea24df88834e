/** Workspaces and their agents. */
import { asTyped } from "./as-typed.ts";
import type { NounRenders } from "./noun-renders.ts";
import { cut, inLine, safe } from "./safe.ts";
import { textTable } from "./text-table.ts";

export const workspaceRenders: NounRenders<"workspaces"> = {
  "workspaces.add": ({ workspace, hubUrl }) =>
    `${workspace.workspaceId} ${inLine(workspace.label)}
  its agent, ${safe(workspace.agent)}, speaks MCP at the hub's /mcp/${workspace.workspaceId}${hubUrl === null ? "; inbox serve starts a hub, then" : ""}:
  inbox setup claude --url ${hubUrl ?? "HUB"}/mcp/${workspace.workspaceId}`,
  "workspaces.remove": ({ workspace }) => `forgot ${workspace.workspaceId} ${inLine(workspace.label)}`,
  "workspaces.list": ({ workspaces }, paint) =>
    workspaces.length
      ? textTable(
          ["WORKSPACE", "AGENT", "LABEL", "PATH"],
          workspaces.map((each) => [
            each.workspaceId,
            cut(each.agent, 24),
            cut(each.label, 30),
            inLine(each.path),
          ]),
          paint.dim,
        )
      : `no workspaces; ${asTyped("inbox workspace add")} PATH --label TEXT makes one`,
};
