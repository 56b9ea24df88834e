/** [U15] The person has read documents, as they are now. */
import type { OutputOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { seen } from "../agent.ts";
import { findEntry } from "../entry.ts";
import { append } from "../event.ts";
import { forgetOldSeen, keepSeen, seenOf } from "../seen-document.ts";

interface Seen {
  id: string;
  agent: string;
  documents: readonly { path: string; text: string }[];
}

export function* entriesSeen(
  tx: Context,
  { id, agent, documents }: Seen,
): Procedure<OutputOf<"entries.seen">> {
  const { workspace_id: workspaceId } = yield* findEntry(tx, id);
  const kept = documents.map(({ path }) => path);
  if (workspaceId === null) return { kept: [] };
  const known = yield* seenOf(workspaceId, kept);
  const fresh = documents.filter(({ path, text }) => known.get(path)?.text !== text);
  if (!fresh.length) return { kept };
  const now = yield* tx.clock();
  for (const { path, text } of fresh)
    yield* keepSeen({ workspace_id: workspaceId, path, entry_id: id, seen_at: now, text });
  yield* forgetOldSeen();
  yield* seen(tx, agent, now);
  const payload = { entry: id, documents: fresh.map(({ path }) => path) };
  yield* append(tx, { type: "entry.seen", source: agent, payload, now });
  return { kept };
}
