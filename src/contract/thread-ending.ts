/** What the two ways to end a thread, done and fail, have in common. */
import * as v from "valibot";
import { artifacts } from "./artifact.ts";
import { name } from "./fields.ts";
import { threadId } from "./ids.ts";
import { leaseToken } from "./lease.ts";
import { message, said } from "./message.ts";
import { thread } from "./thread.ts";

export const endingInput = (summaryHelp: string) =>
  v.strictObject({
    agent: name("the holder", "AGENT"),
    thread: threadId(),
    ...said(summaryHelp),
    leaseToken: leaseToken(),
    artifacts: artifacts(),
  });

export const endingOutput = () =>
  v.strictObject({ thread: thread(), message: message(), already: v.optional(v.boolean()) });

export const endingErrors = [
  "invalid_input",
  "too_large",
  "not_found",
  "lease_conflict",
  "lease_lost",
  "invalid_state",
] as const;
