/** [U1] Pushing to the person's inbox. */
import { InboxError } from "../../contract/errors.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import { blank, field, phrase } from "../../contract/phrase.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { seen } from "../agent.ts";
import { addEntry, needsOf } from "../entry.ts";
import { whereMuted } from "../entry-folder.ts";
import { entryOrder } from "../entry-order.ts";
import { bytesOf, spend } from "../quota.ts";
import { findWorkspace } from "../workspace.ts";

/** `missing`: documents that are not in the workspace's folder. */
export function* entriesPush(
  tx: Context,
  input: ParsedOf<"entries.push">,
  missing: readonly string[],
): Procedure<OutputOf<"entries.push">> {
  const comments = input.comments?.trim() ? input.comments : "";
  const docs = input.docs ?? [];
  if (!docs.length && !comments)
    throw new InboxError("invalid_input", "the entry is empty: give docs or comments", {
      hint: phrase`add ${field("docs", blank("report.md"))}, or ${field("comments", blank("…"))}`,
    });
  const workspace = yield* findWorkspace(input.workspace);
  if (missing.length)
    throw new InboxError(
      "not_found",
      `there is no file ${missing.map((path) => JSON.stringify(path)).join(" or ")} in ${workspace.path}, the folder of the workspace ${workspace.workspace_id}`,
      {
        hint: phrase`write it first; ${field("docs")} are paths relative to that folder`,
        details: { missing: [...missing], folder: workspace.path },
      },
    );
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
    ...needsOf({ question: input.choices !== undefined, failure: undefined }),
    ...(input.choices ? {} : yield* whereMuted(workspace.agent_id, null, now)),
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
