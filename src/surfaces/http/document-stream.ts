/** Changes of an entry's documents, as server-sent events: each document once at the start, then when it changes. */
import { watchDocuments } from "../../documents/changes.ts";
import { statesOf } from "../../documents/states.ts";
import type { Found } from "./documents.ts";
import { openSse } from "./sse.ts";

/** Ends with any of the signals; then `over` is called. */
export function documentStream(
  { entry, confines }: Found,
  ends: readonly AbortSignal[],
  over: () => void,
): Response {
  return openSse({
    ends,
    over,
    begin({ write }) {
      const tell = (state: object) => void write({ event: "document.changed", data: state });
      if (confines) return watchDocuments(confines, entry.docs, tell);
      for (const state of statesOf(entry.docs)) tell(state);
      return () => {};
    },
  });
}
