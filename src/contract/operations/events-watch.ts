import * as v from "valibot";
import { excludes } from "../combinations.ts";
import { event } from "../event.ts";
import { flag, integer, name } from "../fields.ts";
import { threadId } from "../ids.ts";
import { operation } from "../operation.ts";
import { field, phrase } from "../phrase.ts";
import { statusFilter } from "../thread.ts";
import { afterEvent, timeoutSeconds } from "../waiting.ts";

export const eventsWatch = operation("events.watch", "watch", () => ({
  kind: "wait",
  access: { on: "thread", by: "thread", does: "read" },
  summary: "Wait for events, or follow them as a stream",
  detail: phrase`Starts with the next event unless ${field("afterEvent")} gives the last event you have seen. Filters apply to the state after the event. With ${field("follow")} it does not stop, and prints one JSON line per event.`,
  input: () =>
    v.strictObject({
      agent: v.optional(
        name(
          "only events of threads that this agent created or is assigned to, and of messages to it",
          "AGENT",
        ),
      ),
      status: v.optional(statusFilter("only threads that are now in these states")),
      thread: v.optional(threadId("only this thread")),
      run: v.optional(name("only this run", "RUN")),
      afterEvent: afterEvent("the last event you have seen"),
      limit: v.optional(integer("maximum number of events (default: 50)", { min: 1, max: 1000 }), 50),
      timeoutSeconds: timeoutSeconds(
        "stop waiting after N seconds; 0: do not wait (default: none, wait forever)",
      ),
      follow: flag("stream events until interrupted or timed out"),
    }),
  combinations: [excludes("follow", "limit")],
  output: () =>
    v.strictObject({
      woke: v.boolean(),
      nextEventId: v.number(),
      event: v.nullable(event()),
      events: v.array(event()),
    }),
  errors: ["invalid_input"],
  cli: { stream: "follow" },
  waits: { after: "afterEvent" },
  http: ["GET /api/events/wait"],
  mcp: {
    tool: "watch",
    set: "worker",
    use: "Wait for events on the bus. To wait for mail use check_inbox, for an answer wait_reply.",
    without: ["follow"],
  },
  nothing: (output) => !output.woke,
  examples: [
    "inbox watch --agent leader --status blocked,done,failed --timeout-seconds 600",
    "inbox watch --follow --after-event 0",
  ],
}));
