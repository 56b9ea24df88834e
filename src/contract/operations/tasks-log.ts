import * as v from "valibot";
import { excludes, needs } from "../combinations.ts";
import { flag, integer } from "../fields.ts";
import { operation } from "../operation.ts";
import { blank, field, phrase } from "../phrase.ts";
import { taskName } from "../task.ts";
import { transcriptEntry } from "../transcript.ts";
import { timeoutSeconds } from "../waiting.ts";

export const tasksLog = operation("tasks.log", "log", () => ({
  kind: "wait",
  access: { on: "task", by: "name", does: "read" },
  summary: "Read the transcript of a sub-agent: prompt, tool use, output, final message",
  detail: phrase`The transcript is kept on the machine where the sub-agent ran. ${field("tail")} shows its end; ${field("timeoutSeconds")} waits for more; ${field("follow")} prints until the task has finished.`,
  input: () =>
    v.strictObject({
      name: taskName(),
      after: v.optional(
        integer("continue after position N (default: from the beginning)", {
          min: 0,
          max: Number.MAX_SAFE_INTEGER,
        }),
        0,
      ),
      tail: v.optional(integer("begin with the last N entries", { min: 1, max: 1000 })),
      before: v.optional(
        integer(phrase`with ${field("tail")}: the last N entries before this position`, {
          min: 0,
          max: Number.MAX_SAFE_INTEGER,
        }),
      ),
      limit: v.optional(integer("maximum number of entries (default: 200)", { min: 1, max: 1000 }), 200),
      timeoutSeconds: timeoutSeconds("wait up to N seconds for more (default: 0, do not wait)", {
        endless: false,
      }),
      follow: flag("print entries as they come, until the task has finished"),
    }),
  combinations: [
    needs("before", "tail", blank("N")),
    excludes("tail", "after", "limit"),
    excludes("before", "follow", "timeoutSeconds"),
    excludes("follow", "timeoutSeconds"),
  ],
  output: () =>
    v.strictObject({
      entries: v.array(transcriptEntry()),
      /** Where the first of them begins; 0: nothing is before it. */
      from: v.number(),
      /** Where the next page begins. */
      next: v.number(),
      /** The task has finished, and nothing comes after these entries. */
      ended: v.boolean(),
    }),
  errors: ["not_found"],
  cli: { program: "orch", plain: ["name"], stream: "follow" },
  waits: { when: (input) => input.timeoutSeconds !== undefined },
  http: ["GET /api/tasks/:name/log"],
  mcp: { none: "a transcript costs many tokens, and the result is in the inbox" },
  examples: ["orch log research --follow", "orch log research --tail 20"],
}));
