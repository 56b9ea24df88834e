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
