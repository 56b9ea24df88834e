/** [U3] A position in the person's inbox: an entry, or a time, because the protocol of the history pages by `ts`. */
import * as v from "valibot";
import { exampleEntry } from "./entry.ts";
import { described, quotedValue } from "./fields.ts";
import type { Text } from "./phrase.ts";

const isEntry = (text: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);

/** Milliseconds since 1970, like an entry's `ts`, or ISO 8601; undefined if it is neither. */
export function timeIn(text: string): string | undefined {
  const time = /^\d{1,15}$/.test(text)
    ? Number(text)
    : /^\d{4}-\d\d/.test(text)
      ? Date.parse(text)
      : Number.NaN;
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

export const entryPlace = (help: Text) =>
  described(
    v.pipe(
      v.string("must be an entry's id, or a time"),
      v.check(
        (text) => isEntry(text) || timeIn(text) !== undefined,
        (issue) =>
          `must be an entry's id, or a time like 2026-05-18T08:00:00Z, got ${quotedValue(issue.input)}`,
      ),
    ),
    { type: "text", value: "ENTRY|TIME", example: exampleEntry, help },
  );
