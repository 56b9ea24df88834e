import * as v from "valibot";
import { choices, comments, docs } from "../entry.ts";
import { operation } from "../operation.ts";
import { workspaceId } from "../workspace.ts";

export const entriesPush = operation("entries.push", "entries push", () => ({
  kind: "write",
  access: { on: "workspace", by: "workspace", does: "change" },
  summary: "Add an entry to the person's inbox",
  detail:
    "Give documents of the workspace, comments, or both. A document that does not exist is refused. The person sees each document as it is when the entry is opened. " +
    "With choices the entry is a question: the answer goes to the workspace's agent, with payload.choice.",
  input: () =>
    v.strictObject({ workspace: workspaceId(), docs: docs(), comments: comments(), choices: choices() }),
  output: () => v.strictObject({ id: v.string(), ts: v.number() }),
  errors: ["invalid_input", "too_large", "not_found"],
  cli: { plain: ["workspace"] },
  creates: true,
  http: ["POST /api/workspaces/:workspace/entries"],
  mcp: {
    tool: "inbox_push",
    set: "user",
    use:
      "Show the person something in their inbox. Push when you finished a piece of work they asked for (docs: the report); " +
      "when a decision of theirs blocks you (comments: the question); now and then on a long job (a summary). " +
      "Do not push tool calls, scratch or debugging output.",
    says: {
      docs: "files to show, each with its path relative to the workspace; give docs, comments or both",
    },
    without: ["workspace"],
  },
  examples: [
    'inbox entries push ws-abc123 --comments "Deploy now?" --choices yes,no',
    `inbox entries push ws-abc123 --docs report.md --comments "Done, please look at section 2"`,
  ],
}));
