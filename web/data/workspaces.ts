/** The folders agents work in. */
import type { Workspace } from "../../src/contract/workspace.ts";
import { api } from "./api.ts";
import { store } from "./store.ts";

export type { Workspace };

export const workspaces = store<readonly Workspace[]>({
  fetch: async () => (await api.workspaces.list({})).workspaces,
  changedBy: ({ eventType }) => eventType.startsWith("workspace."),
});
