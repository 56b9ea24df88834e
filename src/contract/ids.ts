/** Ids are short because agents pay for tokens: a prefix and the row's number. */
import * as v from "valibot";
import { described, quotedValue } from "./fields.ts";
import type { Text } from "./phrase.ts";

const prefixes = { thread: "thr_", message: "msg_", artifact: "art_", task: "task_" } as const;
type Noun = keyof typeof prefixes;

export const idOf = (noun: Noun, number: number) => `${prefixes[noun]}${number}`;
export const numberOf = (id: string) => Number(id.slice(id.indexOf("_") + 1));

/** `thr_12`; the bare number is accepted too. */
const id = (noun: Noun, help: Text) => {
  const prefix = prefixes[noun];
  const form = new RegExp(`^(?:${prefix})?[1-9][0-9]{0,14}$`);
  return described(
    v.pipe(
      v.string(`must be an id like ${prefix}12`),
      v.regex(
        form,
        (issue) => `must be an id like ${prefix}12, got ${JSON.stringify(issue.input.slice(0, 40))}`,
      ),
    ),
    { type: "text", value: noun === "message" ? "ID" : noun.toUpperCase(), example: `${prefix}12`, help },
  );
};

/** The number in a task's id; undefined if the text is not an id. */
export const taskNumberIn = (text: string): number | undefined =>
  /^task_[1-9][0-9]{0,14}$/.test(text) ? numberOf(text) : undefined;

export const threadId = (help = "the thread") => id("thread", help);
export const messageId = (help: Text) => id("message", help);

const messageForm = /^(?:msg_)?[0-9]{1,15}$/;
const isMessage = (input: unknown) =>
  typeof input === "string" ? messageForm.test(input) : Number.isSafeInteger(input) && (input as number) >= 0;

const textOf = ({ source }: RegExp) => ({ type: "string", pattern: source });

const aboutMessage = {
  type: "integer",
  value: "ID",
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  example: "12",
} as const;

/** A message by its number, as channels and mail show it; `msg_12`, as threads show it, is accepted too. */
export const messageNumber = (help: Text, flag?: string) =>
  described(
    v.pipe(
      v.custom<number | string>(
        isMessage,
        (issue) => `must be a message's id like 12 or msg_12, got ${quotedValue(issue.input)}`,
      ),
      v.transform((input) => (typeof input === "string" ? numberOf(input) : input)),
    ),
    { ...aboutMessage, flag, help, also: [textOf(messageForm)] },
  );

export const entryIdForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
export const isEntryId = (input: unknown): input is string =>
  typeof input === "string" && entryIdForm.test(input);

/** A question by the number of its message, or by the id of its entry in the person's inbox. */
export const questionId = (help: Text) =>
  described(
    v.pipe(
      v.custom<number | string>(
        (input) => isMessage(input) || isEntryId(input),
        (issue) =>
          `must be a message's id like 12 or msg_12, or an entry's id, got ${quotedValue(issue.input)}`,
      ),
      v.transform((input) => (typeof input === "string" && !isEntryId(input) ? numberOf(input) : input)),
    ),
    { ...aboutMessage, help, also: [textOf(messageForm), textOf(entryIdForm)] },
  );
