/** Ids are short because agents pay for tokens: a prefix and the row's number. */
import * as v from "valibot";
import { described } from "./fields.ts";
import type { Text } from "./phrase.ts";

const prefixes = { thread: "thr_", message: "msg_", artifact: "art_" } as const;
type Noun = keyof typeof prefixes;

export const idOf = (noun: Noun, number: number) => `${prefixes[noun]}${number}`;
export const numberOf = (id: string) => Number(id.slice(id.indexOf("_") + 1));

/** `thr_12`; the bare number is understood too. */
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
    { type: "text", value: noun.toUpperCase(), help },
  );
};

export const threadId = (help = "the thread") => id("thread", help);
export const messageId = (help: Text) => id("message", help);
