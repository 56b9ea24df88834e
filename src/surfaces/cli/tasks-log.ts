/** `orch log --follow`: a transcript as it is written, to its end. */
import { parseInput } from "../../contract/operation.ts";
import type { InputOf } from "../../contract/operations/index.ts";
import { tasksLog } from "../../contract/operations/tasks-log.ts";
import type { TranscriptEntry } from "../../contract/transcript.ts";
import type { Inbox } from "../../inbox/inbox.ts";
import type { Paint } from "../text/paint.ts";
import { snakeCase } from "../text/recase.ts";
import { safeJson } from "../text/safe.ts";
import { transcriptText } from "../text/transcript.ts";
import { exitBrokenPipe, paintFor, print } from "./output.ts";

const patienceSeconds = 30;

export async function followLog(
  inbox: Inbox,
  input: Record<string, unknown>,
  json: boolean,
): Promise<number> {
  const paint = paintFor(1);
  // It is checked as it was typed. Each call waits only for the next entries.
  const { follow: _, ...from } = parseInput(tasksLog, input);
  let page: InputOf<"tasks.log"> = from;
  let before: TranscriptEntry | undefined;
  for (;;) {
    const asked = { ...page, timeoutSeconds: patienceSeconds };
    const { entries, next, ended } = await inbox.call("tasks.log", asked);
    for (const entry of entries) {
      const text = json ? `${safeJson(snakeCase(entry))}\n` : lineOf(entry, paint, before);
      if (text && !(await print(text))) return exitBrokenPipe;
      before = entry;
    }
    if (ended) return json || !before?.open || (await print("\n")) ? 0 : exitBrokenPipe;
    page = { ...from, after: next, tail: undefined };
  }
}

/** A complete line is ended at once, so that a reader of the output gets it. */
function lineOf(entry: TranscriptEntry, paint: Paint, before: TranscriptEntry | undefined): string {
  const text = transcriptText(entry, paint, before);
  const started = before && !before.open ? text.replace(/^\n/, "") : text;
  return entry.open ? started : `${started}\n`;
}
