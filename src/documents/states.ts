/** [U2] The documents of an entry as they are now, without their content. */
import type { DocumentState } from "../contract/document.ts";
import { InboxError } from "../contract/errors.ts";
import { fs } from "../platform/system.ts";
import { type Confines, openConfined } from "./confined.ts";
import { servedAs } from "./types.ts";

const absent = { exists: false, type: null, size: null, modifiedAt: null };
export const noWorkspace = "its workspace was removed";

export function stateOf(confines: Confines | undefined, path: string, n: number): DocumentState {
  if (confines === undefined) return { n, path, ...absent, problem: noWorkspace };
  try {
    const { descriptor, stat } = openConfined(confines, path);
    fs().closeSync(descriptor);
    const { type } = servedAs(path);
    return {
      n,
      path,
      exists: true,
      type,
      size: stat.size,
      modifiedAt: stat.mtime.toISOString(),
      problem: null,
    };
  } catch (error) {
    if (!(error instanceof InboxError)) throw error;
    return { n, path, ...absent, problem: String(error.details?.problem) };
  }
}

export const statesOf = (docs: readonly { path: string }[], confines?: Confines): DocumentState[] =>
  docs.map(({ path }, n) => stateOf(confines, path, n));
