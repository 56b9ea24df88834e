import * as v from "valibot";
import { excludes } from "../combinations.ts";
import { choices, name } from "../fields.ts";
import { messageId, threadId } from "../ids.ts";
import { kinds, message } from "../message.ts";
import { operation } from "../operation.ts";
import { endedStatuses } from "../thread.ts";
import { afterEvent, timeoutSeconds } from "../waiting.ts";

export const threadsWaitReply = operation("threads.waitReply", "wait-reply", () => ({
  kind: "wait",
  access: { on: "thread", by: "thread", does: "read" },
  summary: "Wait until another agent answers in a thread",
  detail:
    "By default it looks for messages after your own last message in the thread, so an answer that is already there is found, " +
    "unless you have collected it from your mailbox. " +
    "Returns all matching messages, collects those addressed to you, and gives the event id to continue from. " +
    "When the thread has ended it does not wait: the answer says how it ended. " +
    "If you hold the lease, it is renewed while you wait.",
  input: () =>
    v.strictObject({
      thread: threadId(),
      agent: v.optional(name("who waits (default: the lease's holder)", "AGENT")),
      afterMessage: v.optional(messageId("only messages after this one")),
      afterEvent: afterEvent("only messages after this event"),
      kinds: v.optional(
        choices(kinds, "kinds of messages to wait for (default: answer,control,result)", "KIND,…"),
        ["answer", "control", "result"],
      ),
      timeoutSeconds: timeoutSeconds(
        "stop waiting after N seconds; 0: do not wait (default: none, wait forever)",
      ),
    }),
  combinations: [excludes("afterMessage", "afterEvent")],
  output: () =>
    v.strictObject({
      woke: v.boolean(),
      threadId: v.string(),
      ended: v.optional(v.picklist(endedStatuses)),
      nextEventId: v.number(),
      message: v.nullable(message()),
      messages: v.array(message()),
    }),
  errors: ["invalid_input", "not_found"],
  cli: { plain: ["thread"], identity: "agent" },
  waits: { over: ({ woke, ended }) => woke || ended !== undefined },
  http: ["POST /api/threads/:thread/wait-reply"],
  mcp: {
    tool: "wait_reply",
    set: "worker",
    usual: true,
    usualFor: ["worker", "leader"],
    use: "Wait for an answer in a thread, or its end. After a timeout call again: nothing is missed.",
    says: { thread: "the thread to wait in" },
    without: ["afterEvent", "kinds"],
  },
  nothing: (output) => !output.woke,
  examples: ["inbox wait-reply --agent backend-worker --thread thr_123 --timeout-seconds 1800"],
}));
