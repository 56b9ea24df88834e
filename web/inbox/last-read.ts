/**
 * [U15] What the person last read of an entry's documents, as it was when the entry was opened: it stays while the entry is
 * open, though the hub is told of what is shown now.
 */
import { useEffect } from "preact/hooks";
import { api } from "../data/api.ts";
import { type DocumentState, fetchLastRead, type LastRead } from "../data/documents.ts";
import { useLoaded } from "../data/store.ts";

type ByPlace = ReadonlyMap<number, LastRead>;

/** Documents that are shown for this long have been read. */
const dwellMs = 700;

export function useLastRead(id: string, documents: readonly DocumentState[]): ByPlace {
  const some = documents.some(({ exists }) => exists);
  const { value, retry } = useLoaded<ByPlace>(
    {
      fetch: async () => (some ? fetchLastRead(id) : new Map()),
      // What was known first stays; what was never read before is compared with its first look.
      merge: (answer, known) => new Map([...answer, ...(known ?? [])]),
    },
    [id, some],
  );
  const newest = documents
    .flatMap(({ modifiedAt }) => modifiedAt ?? [])
    .sort()
    .at(-1);
  const version = documents.map(({ modifiedAt, size }) => `${modifiedAt} ${size}`).join();
  useEffect(() => {
    if (!value || !some || newest === undefined) return;
    const timer = setTimeout(() => {
      if (document.hidden) return;
      api.entries.seen({ id, asOf: newest }).then(retry, () => {}); // the next look tells it
    }, dwellMs);
    return () => clearTimeout(timer);
  }, [id, some, version, value === undefined]);
  return value ?? new Map();
}
