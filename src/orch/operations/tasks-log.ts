/** [Q9] Reading a transcript, and waiting for more of it. */
import { findTask, type TaskRow } from "../../bus/task.ts";
import { InboxError } from "../../contract/errors.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import { call, phrase } from "../../contract/phrase.ts";
import type { EndSignal, Engine, Subscription } from "../../engines/engine.ts";
import { watch } from "../../platform/watch.ts";
import { taskTopic } from "../../sql/topics.ts";
import { countdown, ended } from "../../waiting/wait.ts";
import { thisHost, transcriptFile } from "../paths.ts";
import { nothingAfter, readTail, readTranscript } from "../transcript.ts";

type Output = OutputOf<"tasks.log">;

export async function readLog(
  engine: Engine,
  input: ParsedOf<"tasks.log">,
  signal?: EndSignal,
): Promise<Output> {
  const left = countdown(input.timeoutSeconds ?? 0);
  // The start and the end of a task are events; output in between is noticed in the file.
  const subscription = engine.subscribe([taskTopic]);
  try {
    for (;;) {
      const row = await engine.read(() => findTask(input.name));
      refuseElsewhere(row);
      const { last, ...page } = row.folder
        ? pageOf(transcriptFile(row.folder), input)
        : nothingAfter(input.after);
      // The status was read before the file, so nothing more can follow.
      const over = row.status === "finished" && last;
      if (page.entries.length || over || input.before !== undefined || left() === 0 || ended(signal))
        return { ...page, ended: over };
      await more(row, subscription, left()!, signal);
    }
  } finally {
    subscription.close();
  }
}

const pageOf = (path: string, { after, limit, tail, before }: ParsedOf<"tasks.log">) =>
  tail === undefined ? readTranscript(path, after, limit) : readTail(path, tail, before);

const slowCheckMs = 1000;

/** Until the file has grown, an event has arrived, or the next regular check is due. */
async function more(
  row: TaskRow,
  subscription: Subscription,
  leftMs: number,
  signal?: EndSignal,
): Promise<void> {
  const over = new AbortController();
  const stop = () => over.abort();
  const end = { handleEvent: stop };
  signal?.addEventListener("abort", end);
  let watcher: ReturnType<typeof watch> | undefined;
  try {
    if (row.folder) watcher = watch(transcriptFile(row.folder), stop);
  } catch {
    // The file does not exist yet, or there are too many watchers: the regular check notices it.
  }
  await subscription.next({ atMost: Math.min(leftMs, slowCheckMs), signal: over.signal }).catch(() => {});
  watcher?.close();
  signal?.removeEventListener("abort", end);
}

function refuseElsewhere({ name, host, folder }: TaskRow): void {
  if (host === null || folder === null || host === thisHost()) return;
  throw new InboxError("not_found", `the transcript of "${name}" is on ${host}, not here`, {
    hint: phrase`ask there, or the hub that runs there: ${call("tasks.log", { name }, { db: `http://${host}:PORT` })}`,
  });
}
