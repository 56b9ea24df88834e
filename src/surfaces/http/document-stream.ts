/** Changes of an entry's documents, as server-sent events: each document once at the beginning, then as it changes. */
import { InboxError } from "../../contract/errors.ts";
import { watchDocuments } from "../../documents/changes.ts";
import { statesOf } from "../../documents/states.ts";
import type { EmbeddedInbox } from "../../inbox.ts";
import { openSse } from "./sse.ts";

/** Each watches a few folders, and the system gives a user only so many watches. */
const watchersLimit = 256;
let watchers = 0;

export function documentStream(
  request: Request,
  { entry, workspace }: Awaited<ReturnType<EmbeddedInbox["entry"]>>,
  stop: AbortSignal,
  over: () => void,
): Response {
  if (watchers >= watchersLimit)
    throw new InboxError("limited", `more than ${watchersLimit} entries are being watched`);
  watchers++;
  return openSse([request.signal, stop], ({ say }) => {
    const tell = (state: object) => void say(`event: document.changed\ndata: ${JSON.stringify(state)}\n\n`);
    const end = workspace ? watchDocuments(workspace.path, entry.docs, tell) : () => {};
    if (!workspace) for (const state of statesOf(undefined, entry.docs)) tell(state);
    return () => {
      end();
      watchers--;
      over();
    };
  });
}
