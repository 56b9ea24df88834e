import * as v from "valibot";
import { artifacts } from "../artifact.ts";
import { requires } from "../combinations.ts";
import { choice, integer, name, text } from "../fields.ts";
import { threadId } from "../ids.ts";
import { kind, said } from "../message.ts";
import { operation } from "../operation.ts";
import { blank, field, phrase } from "../phrase.ts";
import { posted } from "../posted.ts";
import { strict } from "../recipient.ts";
import { priorities } from "../thread.ts";

export const threadsSend = operation("threads.send", "send", () => ({
  kind: "write",
  access: { on: "thread", by: "thread", does: "change" },
  summary: "Create a thread, or add a message to one",
  detail: phrase`Without ${field("thread")}, creates a thread: ${field("to")} and ${field("subject")} are required. With ${field("thread")}, adds a message to that thread, which must exist.`,
  input: () =>
    v.strictObject({
      from: name("who sends", "AGENT"),
      to: v.optional(name("the agent or pool that gets the thread", "AGENT")),
      subject: v.optional(text("what the new thread is about", { limit: 1024 })),
      thread: v.optional(threadId("the thread to add to")),
      run: v.optional(name("the run the new thread belongs to (default: default)", "RUN")),
      task: v.optional(name("your own id for the task (default: the thread's id)", "TASK")),
      kind: v.optional(kind(phrase`the kind of message (default: task; with ${field("thread")}: progress)`)),
      ...said("the message in one line (default: the subject)"),
      priority: v.optional(choice(priorities, "priority among pending threads (default: normal)")),
      maxAttempts: v.optional(
        integer("number of expired leases after which the thread fails (default: 5)", { min: 1, max: 1000 }),
      ),
      strict: strict(),
      artifacts: artifacts(),
    }),
  combinations: [
    requires("a new thread", { unless: "thread", fields: { to: blank("AGENT"), subject: blank("…") } }),
  ],
  output: posted,
  errors: ["invalid_input", "too_large", "not_found"],
  cli: { identity: "from" },
  creates: true,
  http: ["POST /api/threads"],
  mcp: {
    tool: "send_task",
    set: "worker",
    usual: true,
    usualFor: ["leader"],
    use: "Give an agent work: creates a thread that it claims and finishes. For a note use send_message.",
    needs: ["to", "subject"],
    without: ["thread", "kind", "maxAttempts", "run", "task", "strict", "artifacts", "payload"],
  },
  examples: [
    'inbox send --agent leader --to backend-worker --subject "Add post CRUD routes" --body-file task.md',
    'inbox send --agent leader --thread thr_123 --summary "One more thing: keep the old route"',
  ],
}));
