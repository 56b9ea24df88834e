/** Workspaces as they are stored. */
import { InboxError } from "../contract/errors.ts";
import { blank, call, phrase } from "../contract/phrase.ts";
import type { Workspace } from "../contract/workspace.ts";
import type { Procedure } from "../sql/procedure.ts";
import { one } from "../sql/procedure.ts";
import { sql } from "../sql/sql.ts";
import { columnsOf, type RowOf } from "../sql/table.ts";
import { workspaces } from "../sql/tables.ts";

export type WorkspaceRow = RowOf<typeof workspaces>;
export const workspaceColumns = columnsOf(workspaces);

export const workspaceView = (row: WorkspaceRow): Workspace => ({
  workspaceId: row.workspace_id,
  path: row.path,
  label: row.label,
  agent: row.agent_id,
  createdAt: row.created_at,
  session: row.session_command,
});

export function* findWorkspace(id: string): Procedure<WorkspaceRow> {
  const row = yield* one<WorkspaceRow>(
    sql`select ${workspaceColumns} from workspaces where workspaces.workspace_id = ${id}`,
  );
  if (!row)
    throw new InboxError("not_found", `there is no workspace ${id}`, {
      hint: phrase`${call("workspaces.list")} lists them; ${call("workspaces.add", { path: blank("PATH"), label: blank("TEXT") })} adds one`,
    });
  return row;
}
