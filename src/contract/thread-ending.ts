/** What the ways to end a thread have in common: done, fail, and a claim that ends the thread before. */
import * as v from "valibot";
import { artifacts } from "./artifact.ts";
import { name } from "./fields.ts";
import { threadId } from "./ids.ts";
import { leaseToken } from "./lease.ts";
import { message, said } from "./message.ts";
import type { Text } from "./phrase.ts";
import { thread } from "./thread.ts";

export const endingInput = (summaryHelp: string) =>
  v.strictObject({
    agent: name("the holder", "AGENT"),
    thread: threadId(),
    leaseToken: leaseToken(),
    ...resultFields(summaryHelp),
  });

/** The result. */
export const resultFields = (summaryHelp: Text) => ({ ...said(summaryHelp), artifacts: artifacts() });

export const ended = () => ({ thread: thread(), message: message() });

export const endingOutput = () => v.strictObject({ ...ended(), already: v.optional(v.boolean()) });

export const endingErrors = [
  "invalid_input",
  "too_large",
  "not_found",
  "lease_conflict",
  "lease_lost",
  "invalid_state",
] as const;
