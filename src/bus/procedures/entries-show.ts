/** [U3] One entry of the person's inbox, with its workspace. */
import type { OutputOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { one } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { entryView, findEntry } from "../entry.ts";
import { approvalIn } from "../question.ts";
import { type WorkspaceRow, workspaceColumns, workspaceView } from "../workspace.ts";

export function* entriesShow(
  tx: Context,
  id: string,
): Procedure<Omit<OutputOf<"entries.show">, "documents">> {
  const row = yield* findEntry(tx, id);
  const workspace =
    row.workspace_id === null
      ? undefined
      : yield* one<WorkspaceRow>(
          sql`select ${workspaceColumns} from workspaces where workspaces.workspace_id = ${row.workspace_id}`,
        );
  return {
    entry: entryView(row),
    workspace: workspace ? workspaceView(workspace) : null,
    approval: row.kind === "question" && row.message_id !== null ? yield* approvalIn(row.message_id) : null,
  };
}
