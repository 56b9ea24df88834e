/** [M13] [L11] Tells the caller of a wait without an end, when it begins, what an answer would tell it. */
import { type BeginNote, saysAnything } from "../contract/begin-note.ts";
import type { Calling } from "./handed.ts";

/** Once for each call, however often it goes to sleep. `find` is asked only if somebody listens. */
export function noteOnce(
  { noteAtBegin }: Pick<Calling, "noteAtBegin">,
  timeoutSeconds: number | undefined,
  find: () => Promise<BeginNote>,
): () => Promise<void> {
  let begun = false;
  return async () => {
    if (!noteAtBegin || begun || timeoutSeconds !== undefined) return;
    begun = true;
    const note = await find();
    if (saysAnything(note)) noteAtBegin(note);
  };
}
