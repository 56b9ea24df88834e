/** Workspaces and their agents. */
import { blank, call, phrase } from "../../contract/phrase.ts";
import { wayBack } from "../../contract/workspace.ts";
import type { NounRenders } from "./noun-renders.ts";
import { cut, inLine, safe } from "./safe.ts";
import { textTable } from "./text-table.ts";

export const workspaceRenders: NounRenders<"workspaces"> = {
  "workspaces.add": ({ workspace, hubUrl }, _paint, spell) => {
    const tools = `/mcp/${workspace.workspaceId}`;
    const url = hubUrl === null ? blank(`HUB${tools}`) : `${hubUrl}${tools}`;
    const begin =
      hubUrl === null
        ? `a hub; none runs for this bus. ${spell(phrase`${call("bus.up")} starts one and prints its address, which is HUB in this command`)}`
        : `the hub at ${inLine(hubUrl)}; run`;
    return `${workspace.workspaceId} ${inLine(workspace.label)}
  its agent, ${safe(workspace.agent)}, connects over MCP to ${begin}:
  ${spell(phrase`${call("bus.setup", { client: "claude", url })}`)}`;
  },
  "workspaces.edit": ({ workspace }) => {
    const back = wayBack(workspace);
    return `${workspace.workspaceId} ${inLine(workspace.label)}${back === null ? "" : `\n  session: ${inLine(back)}`}`;
  },
  "workspaces.remove": ({ workspace }) => `removed ${workspace.workspaceId} ${inLine(workspace.label)}`,
  "workspaces.list": ({ workspaces }, paint, spell) =>
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
      : spell(
          phrase`no workspaces; ${call("workspaces.add", { path: blank("PATH"), label: blank("TEXT") })} adds one`,
        ),
};
