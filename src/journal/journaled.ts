/** An engine that updates the journal when entries change: before the answer, or soon after it in a long-running process. */
import type { Engine, Work } from "../engines/engine.ts";
import { calledBy } from "../sql/plain.ts";
import { entriesTopic } from "../sql/topics.ts";
import type { Journal } from "./journal.ts";
import type { SharedJournal } from "./shared.ts";

export interface JournalPlace {
  folder: string;
  /** The file that the database shared with others up to version 0.1. */
  shared?: SharedJournal;
  /** No call waits for it: the process keeps running and finishes it. */
  later?: boolean;
  /** Called once with the reason why the journal cannot be written. The operation itself has succeeded. */
  complain?: (message: string) => void;
}

export interface Journaled {
  engine: Engine;
  /** Undefined as long as nobody needed it. */
  journal: () => Journal;
}

export function journaled(
  plain: Engine,
  { folder, shared, later = false, complain }: JournalPlace,
): Journaled {
  let made: Journal | undefined;
  let told = false;
  const writing = new Set<Promise<void>>();
  // Loaded when there is something to write: most commands have nothing.
  const load = () => require("./journal.ts") as typeof import("./journal.ts");
  const quietly = (work: () => Promise<void>) => {
    const done = work()
      .catch((error: Error) => {
        if (!told) complain?.(`the journal in ${folder} cannot be written: ${error.message}`);
        told = true;
      })
      .finally(() => writing.delete(done));
    writing.add(done);
    return done;
  };
  const journal = (): Journal => {
    made ??= load().openJournal(folder, plain, shared);
    const { sync, repair } = made;
    return { ...made, sync: () => quietly(sync), repair: () => quietly(repair) };
  };
  return {
    journal,
    engine: {
      ...plain,
      async write(work, options) {
        let touched = false;
        const watched =
          <T>(inner: Work<T>): Work<T> =>
          (tx) => {
            touched = false; // it may be run again
            // It is this write's own: another one around it would cost every write.
            const { wake } = tx;
            tx.wake = (topic) => {
              touched ||= topic === entriesTopic;
              wake.call(tx, topic);
            };
            return inner(tx);
          };
        const how = options?.plain ? { ...options, plain: calledBy(options.plain, watched) } : options;
        const result = await plain.write(watched(work), how);
        if (!touched) return result;
        const written = journal().sync();
        if (!later) await written;
        return result;
      },
      async close() {
        while (writing.size) await Promise.all(writing);
        await plain.close();
      },
    },
  };
}
