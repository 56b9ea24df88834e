/** Changes of an entry's documents, as server-sent events: each document once at the beginning, then as it changes. */
import { watchDocuments } from "../../documents/changes.ts";
import { statesOf } from "../../documents/states.ts";
import type { Found } from "./documents.ts";
import { openSse } from "./sse.ts";

/** Ends with any of the signals; `over` is told. */
export function documentStream(
  { entry, confines }: Found,
  ends: readonly AbortSignal[],
  over: () => void,
): Response {
  return openSse(ends, ({ say }) => {
    const tell = (state: object) => void say(`event: document.changed\ndata: ${JSON.stringify(state)}\n\n`);
    const end = confines ? watchDocuments(confines, entry.docs, tell) : () => {};
    if (!confines) for (const state of statesOf(undefined, entry.docs)) tell(state);
    return () => {
      end();
      over();
    };
  });
}
