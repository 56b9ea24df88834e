/**
 * [U15] The two operations that read documents: what has changed since the person last read them, and recording that
 * they were read.
 */
import { entriesChanges } from "../bus/procedures/entries-changes.ts";
import { entriesSeen } from "../bus/procedures/entries-seen.ts";
import { entriesShow } from "../bus/procedures/entries-show.ts";
import { type BusFiles, type DocumentChange, seenLimits } from "../contract/document.ts";
import { lineDiff } from "../contract/line-diff.ts";
import type { OutputOf, ParsedOf } from "../contract/operations/index.ts";
import type { Workspace } from "../contract/workspace.ts";
import { type DocumentText, textOf } from "../documents/texts.ts";
import type { Engine } from "../engines/engine.ts";

type Read = (path: string) => DocumentText | undefined;

const readerOf = (workspace: Workspace | null, bus: BusFiles): Read =>
  workspace ? (path) => textOf({ root: workspace.path, bus }, path, seenLimits.bytes) : () => undefined;

export async function changesOf(
  engine: Engine,
  { id }: ParsedOf<"entries.changes">,
  files: BusFiles,
): Promise<OutputOf<"entries.changes">> {
  const { entry, workspace, seen } = await engine.read((tx) => entriesChanges(tx, id));
  const read = readerOf(workspace, files);
  const documents = entry.docs.map(({ path }, n): DocumentChange => {
    const last = seen.get(path);
    const before = last?.text ?? null;
    const after = read(path)?.text ?? null;
    const { added, removed } =
      before === null || after === null ? { added: 0, removed: 0 } : lineDiff(before, after);
    return { n, path, seenAt: last?.seen_at ?? null, before, after, added, removed };
  });
  return { documents };
}

export async function rememberSeen(
  engine: Engine,
  { id, agent, asOf }: ParsedOf<"entries.seen">,
  files: BusFiles,
): Promise<OutputOf<"entries.seen">> {
  const { entry, workspace } = await engine.read((tx) => entriesShow(tx, id));
  const read = readerOf(workspace, files);
  const documents = [...new Set(entry.docs.map(({ path }) => path))].flatMap((path) => {
    const found = read(path);
    // A document that was changed since is not the one that the person was shown.
    return found && (asOf === undefined || found.modifiedAt <= asOf) ? [{ path, text: found.text }] : [];
  });
  return engine.write((tx) => entriesSeen(tx, { id, agent, documents }));
}
