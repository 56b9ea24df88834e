/** [U1] Removing a workspace. */
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { run } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { append } from "../event.ts";
import { forgetSeenWithin } from "../seen-document.ts";
import { findWorkspace, workspaceView } from "../workspace.ts";

export function* workspacesRemove(
  tx: Context,
  { workspace: id }: ParsedOf<"workspaces.remove">,
): Procedure<OutputOf<"workspaces.remove">> {
  const row = yield* findWorkspace(id);
  const now = yield* tx.clock();
  yield* run(sql`delete from workspaces where workspace_id = ${id}`);
  yield* forgetSeenWithin(id);
  const payload = { workspace: id, label: row.label };
  yield* append(tx, { type: "workspace.removed", source: row.agent_id, payload, now });
  return { workspace: workspaceView(row) };
}
