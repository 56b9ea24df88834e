/** [U1] Which workspaces there are. */
import type { OutputOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { and, visible } from "../visible.ts";
import { type WorkspaceRow, workspaceColumns, workspaceView } from "../workspace.ts";

export function* workspacesList(tx: Context): Procedure<OutputOf<"workspaces.list">> {
  const rows = yield* all<WorkspaceRow>(
    sql`select ${workspaceColumns} from workspaces where 1 = 1 ${and(visible.workspaces(tx))}
      order by workspaces.created_at, workspaces.workspace_id`,
  );
  return { workspaces: rows.map(workspaceView) };
}
