/** One item in the person's inbox: pointers to documents, and commentary. */
import * as v from "valibot";
import { described, text } from "./fields.ts";

export const entry = () =>
  v.strictObject({
    id: v.string(),
    /** Milliseconds since the epoch, as its journal has it. */
    ts: v.number(),
    workspaceId: v.nullable(v.string()),
    workspaceLabel: v.nullable(v.string()),
    docs: v.array(v.strictObject({ path: v.string() })),
    comments: v.string(),
    readAt: v.nullable(v.string()),
  });

export type Entry = v.InferOutput<ReturnType<typeof entry>>;

const docsLimit = 100;

/** [U2] A pointer into the workspace, and never out of it. */
function pathProblem(path: string): string | undefined {
  if (path.trim() === "" || path.length > 1024) return "must be a path of 1 to 1024 characters";
  if (path.includes("\u0000") || !path.isWellFormed()) return "must be valid text without U+0000";
  if (/^([/\\~]|[a-z]:)/i.test(path)) return "must be relative to the workspace";
  if (path.split(/[/\\]/).includes("..")) return "must not lead out of the workspace";
  return undefined;
}

export const docs = () =>
  v.optional(
    described(
      v.pipe(
        v.array(
          v.strictObject({
            path: v.pipe(
              v.string("must be text"),
              v.check(
                (path) => pathProblem(path) === undefined,
                (issue) => pathProblem(issue.input)!,
              ),
            ),
          }),
        ),
        v.maxLength(docsLimit, `must name at most ${docsLimit} documents`),
      ),
      {
        type: "json",
        value: "JSON",
        flag: "--docs",
        help: "files to show, paths relative to the workspace: [{path}]",
      },
    ),
  );

export const comments = () =>
  v.optional(text("what you say about it, in Markdown", { file: true, empty: true }));
