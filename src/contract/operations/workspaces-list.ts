import * as v from "valibot";
import { operation } from "../operation.ts";
import { workspace } from "../workspace.ts";

export const workspacesList = operation("workspaces.list", "workspace list", () => ({
  kind: "read",
  access: { on: "visible" },
  summary: "List workspaces",
  input: () => v.strictObject({}),
  output: () => v.strictObject({ workspaces: v.array(workspace()) }),
  errors: [],
  http: ["GET /api/workspaces"],
  mcp: { none: "an agent never needs to know its workspace's id" },
  examples: ["inbox workspace list"],
}));
