/** [U1] Registering a folder as a workspace, by its real path. */
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import { noSession } from "../../contract/workspace.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { run } from "../../sql/procedure.ts";
import { insert } from "../../sql/table.ts";
import { workspaces } from "../../sql/tables.ts";
import { append } from "../event.ts";
import { admitName } from "../names.ts";
import { type HasDied, hubNow } from "../tasks/supervision.ts";
import { type WorkspaceRow, workspaceView } from "../workspace.ts";

export function* workspacesAdd(
  tx: Context,
  { label, agent, session }: ParsedOf<"workspaces.add">,
  path: string,
  hasDied: HasDied,
): Procedure<OutputOf<"workspaces.add">> {
  const now = yield* tx.clock();
  const workspace_id = newId();
  if (agent !== undefined) yield* admitName(agent);
  const row: WorkspaceRow = {
    ...{ workspace_id, path, label, agent_id: agent ?? workspace_id, created_at: now },
    session_command: session === undefined || session === noSession ? null : session,
  };
  yield* run(insert(workspaces, row));
  const payload = { workspace: workspace_id, label };
  yield* append(tx, { type: "workspace.added", source: row.agent_id, payload, now });
  return { workspace: workspaceView(row), hubUrl: yield* hubNow(tx, hasDied) };
}

/** The id must not be guessable: whoever knows it can push as the workspace's agent. */
const newId = () => {
  const letters = "abcdefghijklmnopqrstuvwxyz0123456789";
  return `ws-${[...crypto.getRandomValues(new Uint8Array(20))].map((byte) => letters[byte % 36]).join("")}`;
};
