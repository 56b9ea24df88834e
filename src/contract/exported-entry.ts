/** [U5] An entry as a line: with more fields than the journal has, so that nothing is lost. */
import * as v from "valibot";
import { documents, entryId, entryNeeds, failure } from "./entry.ts";
import { contentLimit, described, name } from "./fields.ts";
import { messageId, threadId } from "./ids.ts";
import { kinds } from "./message.ts";

const time = () =>
  v.pipe(
    v.string("must be a time"),
    v.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, "must be a time like 2026-05-15T12:00:00.000Z"),
  );
/** The maximum size of a message to the person: a summary and a body. */
const textLimit = contentLimit + 8192;
const words = (limit: number) =>
  v.pipe(
    v.string("must be text"),
    v.maxBytes(limit, `has more than ${limit} bytes`),
    v.check((text) => !text.includes("\u0000") && text.isWellFormed(), "must be valid text without U+0000"),
  );
const orNull = <S extends v.GenericSchema>(schema: S) => v.optional(v.nullable(schema), null);

/** Unknown fields are ignored, so that lines of another program's journal are accepted. */
export const exportedEntry = () =>
  v.object({
    id: entryId(),
    ts: v.pipe(
      v.number("must be milliseconds since the epoch"),
      v.integer("must be a whole number"),
      v.minValue(0, "must not be negative"),
      v.maxValue(253_402_300_799_999, "must be before the year 10000"),
    ),
    workspaceId: orNull(words(64)),
    workspaceLabel: orNull(words(1024)),
    docs: v.optional(documents(), []),
    comments: v.optional(words(textLimit), ""),
    readAt: orNull(time()),
    sender: orNull(name("who sent it")),
    kind: orNull(v.picklist(kinds, "must be a kind of message")),
    threadId: orNull(threadId()),
    messageId: orNull(messageId("the message")),
    choices: orNull(v.array(words(1024))),
    answeredAt: orNull(time()),
    answeredBy: orNull(name("who answered it")),
    answer: orNull(words(textLimit)),
    needs: orNull(v.picklist(entryNeeds, "must be answer or attention")),
    failure: orNull(failure()),
    archivedAt: orNull(time()),
    snoozedAt: orNull(time()),
    snoozedUntil: orNull(time()),
  });

export const importLimit = 500;

export const exportedEntries = () =>
  described(
    v.pipe(
      v.array(exportedEntry(), "must be a list of entries"),
      v.maxLength(importLimit, `must be at most ${importLimit} entries at once`),
    ),
    { type: "lines", value: "FILE", flag: "file", help: "a file of JSON lines, - for standard input" },
  );
