/** [Y1] The folders of tasks, on the host that has them. */
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all, alone } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { append } from "../event.ts";
import { lockTasks } from "../task.ts";
import { deletions } from "./delete.ts";
import { duePage, type Kept, listed, type RowPosition } from "./due.ts";
import { kindsOn } from "./kinds.ts";
import type { Wanted } from "./step.ts";

interface Folder {
  task_number: number;
  folder: string;
}

/** Those of a page of tasks, or of transcripts, that are due. */
export function* dueFolders(
  tx: Context,
  kind: "tasks" | "transcripts",
  { host, ...range }: Wanted,
): Procedure<{ folders: Folder[]; next: RowPosition | undefined; kept: Kept }> {
  const { refs, ...page } = yield* duePage(tx, kindsOn(host)[kind], range);
  if (!refs.length) return { folders: [], ...page };
  const folders = yield* all<Folder>(sql`
    select tasks.task_number, tasks.folder from tasks where tasks.task_number in (${listed(refs)})
      and tasks.folder is not null order by tasks.task_number`);
  return { folders, ...page };
}

/** They are gone. */
export function* forgetFolders(tx: Context, folders: readonly Folder[]): Procedure<void> {
  yield* alone(tx, "gc");
  yield* lockTasks(tx);
  const now = yield* tx.clock();
  const refs = folders.map(({ task_number }) => task_number);
  yield* deletions.transcripts(tx, refs, now);
  const payload = { kind: "transcripts", count: refs.length };
  yield* append(tx, { type: "retention.applied", source: "gc", payload, now });
}
