/** [U15] What the person last read of each document of an entry. */
import type { Entry } from "../../contract/entry.ts";
import type { Workspace } from "../../contract/workspace.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { type SeenRow, seenOf } from "../seen-document.ts";
import { entriesShow } from "./entries-show.ts";

export interface LastSeen {
  entry: Entry;
  workspace: Workspace | null;
  /** By path; documents that were never read are missing. */
  seen: ReadonlyMap<string, Pick<SeenRow, "seen_at" | "text">>;
}

export function* entriesChanges(tx: Context, id: string): Procedure<LastSeen> {
  const { entry, workspace } = yield* entriesShow(tx, id);
  const paths = entry.docs.map(({ path }) => path);
  const seen = workspace ? yield* seenOf(workspace.workspaceId, paths) : new Map<string, SeenRow>();
  return { entry, workspace, seen };
}
