/** A document of a workspace, as an entry points to it. */
import * as v from "valibot";

export const documentState = () =>
  v.strictObject({
    /** Its position in the entry's list; the address of its content ends with it. */
    n: v.number(),
    path: v.string(),
    exists: v.boolean(),
    /** The content types that are served: a small fixed list. */
    type: v.nullable(v.string()),
    size: v.nullable(v.number()),
    modifiedAt: v.nullable(v.string()),
    /** Why it cannot be shown. */
    problem: v.nullable(v.string()),
  });

export type DocumentState = v.InferOutput<ReturnType<typeof documentState>>;

/** Where a bus keeps its files on this machine: they are never documents. */
export interface BusFiles {
  /** The database, if it is a file. */
  db?: string;
  /** The folder of the journal. */
  journal?: string;
}

/** [U15] Limits on the document texts that are kept: the size of one, and how many of those read last. */
export const seenLimits = { bytes: 256 * 1024, documents: 500 };

/** [U15] How a document differs from the text that the person last read, in any entry. */
export const documentChange = () =>
  v.strictObject({
    /** Its position in the entry's list. */
    n: v.number(),
    path: v.string(),
    /** When the person last read it; null if that is not known. */
    seenAt: v.nullable(v.string()),
    /** Its text then, and now; null if that is not known, or it is not text. */
    before: v.nullable(v.string()),
    after: v.nullable(v.string()),
    /** Lines. */
    added: v.number(),
    removed: v.number(),
  });

export type DocumentChange = v.InferOutput<ReturnType<typeof documentChange>>;
