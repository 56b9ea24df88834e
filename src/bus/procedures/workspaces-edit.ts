/** [U1] [N5] Changing a workspace's label, or how its agent's session is reopened. */
import { InboxError } from "../../contract/errors.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import { field, phrase } from "../../contract/phrase.ts";
import { noSession } from "../../contract/workspace.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { run } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { assignments } from "../../sql/table.ts";
import { workspaces } from "../../sql/tables.ts";
import { append } from "../event.ts";
import { findWorkspace, workspaceView } from "../workspace.ts";

export function* workspacesEdit(
  tx: Context,
  { workspace: id, label, session }: ParsedOf<"workspaces.edit">,
): Procedure<OutputOf<"workspaces.edit">> {
  const change = {
    ...(label !== undefined && { label }),
    ...(session !== undefined && { session_command: session === noSession ? null : session }),
  };
  if (!Object.keys(change).length)
    throw new InboxError("invalid_input", "nothing was given to change", {
      hint: phrase`give ${field("label")}, or ${field("session")}`,
    });
  const row = { ...(yield* findWorkspace(id)), ...change };
  const now = yield* tx.clock();
  yield* run(sql`update workspaces set ${assignments(workspaces, change)} where workspace_id = ${id}`);
  const payload = { workspace: id, label: row.label };
  yield* append(tx, { type: "workspace.edited", source: row.agent_id, payload, now });
  return { workspace: workspaceView(row) };
}
