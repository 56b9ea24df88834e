/** The folders agents work in. */
import { signal } from "@preact/signals";
import type { Workspace } from "../../src/contract/workspace.ts";
import { api } from "./api.ts";
import { coalesced } from "./coalesce.ts";
import { onEvent, onHealed } from "./live.ts";

export type { Workspace };
export const workspaces = signal<readonly Workspace[]>([]);

export const loadWorkspaces = coalesced(async () => {
  workspaces.value = (await api.workspaces.list({})).workspaces;
});

export function followWorkspaces(): void {
  const again = () => void loadWorkspaces().catch(() => {});
  onEvent(({ eventType }) => {
    if (eventType.startsWith("workspace.")) again();
  });
  onHealed(again);
}
