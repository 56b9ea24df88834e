/** A document of a workspace, as an entry points to it. */
import * as v from "valibot";

export const documentState = () =>
  v.strictObject({
    /** Its place in the entry's list; the address of its bytes ends with it. */
    n: v.number(),
    path: v.string(),
    exists: v.boolean(),
    /** What is served as what: a small closed list. */
    type: v.nullable(v.string()),
    size: v.nullable(v.number()),
    modifiedAt: v.nullable(v.string()),
    /** Why it cannot be shown. */
    problem: v.nullable(v.string()),
  });

export type DocumentState = v.InferOutput<ReturnType<typeof documentState>>;

/** Where a bus keeps its own things on this machine: they are no documents, wherever they lie. */
export interface BusFiles {
  /** The database, where that is a file. */
  db?: string;
  /** The folder of the journal. */
  journal?: string;
}

/** [U15] Limits of what is kept of the documents that the person read: the size of one, and the number of the last read. */
export const seenLimits = { bytes: 256 * 1024, documents: 500 };

/** [U15] How a document differs from what the person last read of it, in whichever entry that was. */
export const documentChange = () =>
  v.strictObject({
    /** Its place in the entry's list. */
    n: v.number(),
    path: v.string(),
    /** When the person last read it; null where that is not known. */
    seenAt: v.nullable(v.string()),
    /** Its text then, and now; null where that is not known, or is no text. */
    before: v.nullable(v.string()),
    after: v.nullable(v.string()),
    /** Lines. */
    added: v.number(),
    removed: v.number(),
  });

export type DocumentChange = v.InferOutput<ReturnType<typeof documentChange>>;
