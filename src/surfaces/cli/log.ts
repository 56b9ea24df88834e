/** `orch log --follow`: a transcript as it is written, to its end. */
import type { InputOf } from "../../contract/operations/index.ts";
import type { Inbox } from "../../inbox.ts";
import { paintFor } from "../text/paint.ts";
import { snakeCase } from "../text/recase.ts";
import { transcriptText } from "../text/transcript.ts";
import { exitBrokenPipe, print } from "./output.ts";

const patienceSeconds = 30;

export async function followLog(
  inbox: Inbox,
  input: Record<string, unknown>,
  json: boolean,
): Promise<number> {
  const paint = paintFor(1);
  let after = (input.after as number | undefined) ?? 0;
  for (;;) {
    const asked = { ...input, after, timeoutSeconds: patienceSeconds } as InputOf<"tasks.log">;
    const { entries, next, ended } = await inbox.call("tasks.log", asked);
    for (const entry of entries) {
      const line = json ? JSON.stringify(snakeCase(entry)) : transcriptText(entry, paint);
      if (!(await print(`${line}\n`))) return exitBrokenPipe;
    }
    if (ended) return 0;
    after = next;
  }
}
