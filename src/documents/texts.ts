/** [U15] The text of a document, if it is text and not too long. */
import { InboxError } from "../contract/errors.ts";
import { fs } from "../platform/system.ts";
import { type Confines, openConfined } from "./confined.ts";

export interface DocumentText {
  text: string;
  modifiedAt: string;
}

/** Undefined if it does not exist, is not text, or is longer. */
export function textOf(confines: Confines, path: string, limit: number): DocumentText | undefined {
  try {
    const { descriptor, stat } = openConfined(confines, path);
    try {
      if (stat.size > limit) return undefined;
      const text = decoded(bytesOf(descriptor, stat.size));
      return text === undefined ? undefined : { text, modifiedAt: stat.mtime.toISOString() };
    } finally {
      fs().closeSync(descriptor);
    }
  } catch (error) {
    if (error instanceof InboxError) return undefined;
    throw error;
  }
}

function bytesOf(descriptor: number, size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let at = 0;
  while (at < size) {
    const count = fs().readSync(descriptor, bytes, at, size - at, at);
    if (count === 0) break; // it became shorter meanwhile
    at += count;
  }
  return bytes.subarray(0, at);
}

/** Postgres cannot store U+0000, and no text contains it. */
function decoded(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
