/** Changes of an entry's documents, as server-sent events: each document once at the beginning, then as it changes. */
import { InboxError } from "../../contract/errors.ts";
import { watchDocuments } from "../../documents/changes.ts";
import { statesOf } from "../../documents/states.ts";
import type { Found } from "./documents.ts";
import { openSse } from "./sse.ts";

/** At most so many at once: each watches a few folders, and the system gives a user only so many watches. */
export function openDocumentStreams(limit: number) {
  let watching = 0;
  return (request: Request, { entry, workspace }: Found, stop: AbortSignal, over: () => void): Response => {
    if (watching >= limit) throw new InboxError("limited", `more than ${limit} entries are being watched`);
    watching++;
    return openSse([request.signal, stop], ({ say }) => {
      const tell = (state: object) => void say(`event: document.changed\ndata: ${JSON.stringify(state)}\n\n`);
      const end = workspace ? watchDocuments(workspace.path, entry.docs, tell) : () => {};
      if (!workspace) for (const state of statesOf(undefined, entry.docs)) tell(state);
      return () => {
        end();
        watching--;
        over();
      };
    });
  };
}
