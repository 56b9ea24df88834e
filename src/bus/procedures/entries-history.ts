/** [U1] [U3] The person's inbox: pushing to it, and reading it newest first. */
import { unreadLimit } from "../../contract/entry.ts";
import { InboxError } from "../../contract/errors.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all, one } from "../../sql/procedure.ts";
import { fragment, joined, literal, type Sql, sql } from "../../sql/sql.ts";
import { seen } from "../agent.ts";
import {
  addEntry,
  type EntryRow,
  entryColumns,
  entryOrder,
  entryView,
  findEntry,
  olderThan,
  placeOf,
} from "../entry.ts";
import { bytesOf, spend } from "../quota.ts";
import { visible } from "../visible.ts";
import { findWorkspace, type WorkspaceRow, workspaceColumns, workspaceView } from "../workspace.ts";

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
  yield* tx.lock(entryOrder);
  const now = yield* tx.clock();
  const bytes = () => bytesOf({ summary: comments, payload: docs });
  yield* spend(tx, workspace.agent_id, { messages: 1, bytes }, now);
  yield* seen(tx, workspace.agent_id, now);
  const fresh = {
    entry_id: crypto.randomUUID(),
    workspace_id: workspace.workspace_id,
    workspace_label: workspace.label,
    docs_json: JSON.stringify(docs),
    comments,
    created_at: now,
    sender: workspace.agent_id,
    ...nothingYet,
    choices_json: input.choices ? JSON.stringify(input.choices) : null,
  };
  yield* addEntry(tx, fresh, now);
  return { id: fresh.entry_id, ts: Date.parse(now) };
}

const nothingYet = {
  read_at: null,
  kind: null,
  thread_id: null,
  message_id: null,
  choices_json: null,
  answered_at: null,
};

const shown = fragment`entries.deleted_at is null`;
const unreadOnly = fragment`entries.read_at is null`;

export function* entryHistory(
  tx: Context,
  { limit, before, workspaceId, unread }: ParsedOf<"entries.history">,
): Procedure<OutputOf<"entries.history">> {
  const ofWorkspace = () => [
    ...(workspaceId === undefined ? [] : [sql`entries.workspace_id = ${workspaceId}`]),
    ...visible.entries(tx),
  ];
  const conditions: Sql[] = [shown, ...ofWorkspace()];
  if (unread) conditions.push(unreadOnly);
  if (before !== undefined) conditions.push(olderThan(yield* placeOf(before)));
  const rows = yield* all<EntryRow>(sql`
    select ${entryColumns} from entries where ${joined(conditions, " and ")}
    order by entries.created_at desc, entries.entry_number desc limit ${literal(limit + 1)}`);
  const unreadOnes = sql`from entries where ${joined([shown, unreadOnly, ...ofWorkspace()], " and ")}`;
  // Walking to the thousandth costs half of counting so many, and only where there is none is there little to count.
  const { count } = (yield* one<{ count: number }>(sql`
    select coalesce(
      (select ${literal(unreadLimit)} ${unreadOnes} order by entries.created_at desc limit 1 offset ${literal(unreadLimit - 1)}),
      (select count(*) ${unreadOnes})) as count`))!;
  return { entries: rows.slice(0, limit).map(entryView), hasMore: rows.length > limit, unread: count };
}

export function* entryShow(
  tx: Context,
  id: string,
): Procedure<Pick<OutputOf<"entries.show">, "entry" | "workspace">> {
  const row = yield* findEntry(tx, id);
  const workspace =
    row.workspace_id === null
      ? undefined
      : yield* one<WorkspaceRow>(
          sql`select ${workspaceColumns} from workspaces where workspaces.workspace_id = ${row.workspace_id}`,
        );
  return { entry: entryView(row), workspace: workspace ? workspaceView(workspace) : null };
}
