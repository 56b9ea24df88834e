/** [U1] [U3] The person's inbox: pushing to it, and reading it newest first. */
import type { Entry } from "../../contract/entry.ts";
import { InboxError } from "../../contract/errors.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all, one, run } from "../../sql/procedure.ts";
import { joined, literal, nothing, type Sql, sql } from "../../sql/sql.ts";
import { seen } from "../agent.ts";
import { append } from "../event.ts";
import { findWorkspace } from "../workspace.ts";

export function* entryPush(
  tx: Context,
  input: ParsedOf<"entries.push">,
): Procedure<OutputOf<"entries.push">> {
  const comments = input.comments?.trim() ? input.comments : "";
  const docs = input.docs ?? [];
  if (!docs.length && !comments)
    throw new InboxError("invalid_input", "there is nothing to show: docs or comments are needed", {
      hint: 'docs: [{"path": "report.md"}], comments: "what you say about it"',
    });
  const workspace = yield* findWorkspace(input.workspace);
  yield* tx.lock("entries");
  const now = yield* tx.clock();
  yield* seen(tx, workspace.agent_id, now);
  const id = crypto.randomUUID();
  yield* run(sql`
    insert into entries (entry_id, workspace_id, workspace_label, docs_json, comments, created_at)
    values (${id}, ${workspace.workspace_id}, ${workspace.label}, ${JSON.stringify(docs)}, ${comments}, ${now})`);
  const payload = { entry: id, workspace: workspace.workspace_id };
  yield* append(tx, { type: "entry.pushed", source: workspace.agent_id, payload, now });
  return { id, ts: Date.parse(now) };
}

interface EntryRow {
  entry_number: number;
  entry_id: string;
  workspace_id: string | null;
  workspace_label: string | null;
  docs_json: string;
  comments: string;
  created_at: string;
  read_at: string | null;
}

const entryView = (row: EntryRow): Entry => ({
  id: row.entry_id,
  ts: Date.parse(row.created_at),
  workspaceId: row.workspace_id,
  workspaceLabel: row.workspace_label,
  docs: JSON.parse(row.docs_json),
  comments: row.comments,
  readAt: row.read_at,
});

export function* entryHistory(
  _: Context,
  { limit, before, workspaceId }: ParsedOf<"entries.history">,
): Procedure<OutputOf<"entries.history">> {
  const conditions: Sql[] = [];
  if (before !== undefined) {
    const mark = yield* one<{ entry_number: number }>(
      sql`select entries.entry_number from entries where entries.entry_id = ${before}`,
    );
    if (!mark) throw new InboxError("not_found", `there is no entry ${before}`);
    conditions.push(sql`entries.entry_number < ${mark.entry_number}`);
  }
  if (workspaceId !== undefined) conditions.push(sql`entries.workspace_id = ${workspaceId}`);
  const rows = yield* all<EntryRow>(sql`
    select entries.entry_number, entries.entry_id, entries.workspace_id, entries.workspace_label, entries.docs_json,
      entries.comments, entries.created_at, entries.read_at
    from entries ${conditions.length ? sql`where ${joined(conditions, " and ")}` : nothing}
    order by entries.entry_number desc limit ${literal(limit + 1)}`);
  return { entries: rows.slice(0, limit).map(entryView), hasMore: rows.length > limit };
}
