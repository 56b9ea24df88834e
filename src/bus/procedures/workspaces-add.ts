/** [U1] Making, listing and forgetting workspaces. */
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all, run } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { insert } from "../../sql/table.ts";
import { workspaces } from "../../sql/tables.ts";
import { append } from "../event.ts";
import { admitName } from "../names.ts";
import { hubNow } from "../tasks/supervision.ts";
import { and, visible } from "../visible.ts";
import { findWorkspace, type WorkspaceRow, workspaceColumns, workspaceView } from "../workspace.ts";

export function* workspaceAdd(
  tx: Context,
  { path, label, agent, session }: ParsedOf<"workspaces.add">,
): Procedure<OutputOf<"workspaces.add">> {
  const now = yield* tx.clock();
  const workspace_id = newId();
  if (agent !== undefined) yield* admitName(agent);
  const row: WorkspaceRow = {
    ...{ workspace_id, path, label, agent_id: agent ?? workspace_id, created_at: now },
    session_command: session ?? null,
  };
  yield* run(insert(workspaces, row));
  const payload = { workspace: workspace_id, label };
  yield* append(tx, { type: "workspace.added", source: row.agent_id, payload, now });
  return { workspace: workspaceView(row), hubUrl: yield* hubNow(tx) };
}

export function* workspaceList(tx: Context): Procedure<OutputOf<"workspaces.list">> {
  const rows = yield* all<WorkspaceRow>(
    sql`select ${workspaceColumns} from workspaces where 1 = 1 ${and(visible.workspaces(tx))}
      order by workspaces.created_at, workspaces.workspace_id`,
  );
  return { workspaces: rows.map(workspaceView) };
}

export function* workspaceRemove(
  tx: Context,
  { workspace: id }: ParsedOf<"workspaces.remove">,
): Procedure<OutputOf<"workspaces.remove">> {
  const row = yield* findWorkspace(id);
  const now = yield* tx.clock();
  yield* run(sql`delete from workspaces where workspace_id = ${id}`);
  const payload = { workspace: id, label: row.label };
  yield* append(tx, { type: "workspace.removed", source: row.agent_id, payload, now });
  return { workspace: workspaceView(row) };
}

/** Nobody guesses another's: with it one can push as its agent. */
const newId = () => {
  const letters = "abcdefghijklmnopqrstuvwxyz0123456789";
  return `ws-${[...crypto.getRandomValues(new Uint8Array(20))].map((byte) => letters[byte % 36]).join("")}`;
};
