/** One item in the person's inbox: pointers to documents, and commentary. */
import * as v from "valibot";
import { described, quotedValue, text } from "./fields.ts";
import { entryIdForm } from "./ids.ts";
import { kinds } from "./message.ts";

/** The person is an agent of this name: what is sent to it is an entry ([U9]). */
export const person = "user";

/** How long a deleted entry can be restored. */
export const restoreSeconds = 10;

/** Unread entries are counted up to this number: nobody needs a larger one. */
export const unreadLimit = 1000;

/** [U11] What the person has to do: answer a question, or look at failed work. */
export const entryNeeds = ["answer", "attention"] as const;
export type EntryNeed = (typeof entryNeeds)[number];

/** [U12] Where an entry is: in the inbox, archived, or hidden until later. */
export const entryFolders = ["inbox", "archive", "snoozed", "all"] as const;

/** [U11] Why the work that an entry reports has failed. */
export const failure = () =>
  v.strictObject({
    error: v.string(),
    /** The task that failed, if it was one; it can be started again. */
    task: v.nullable(v.string()),
    reason: v.nullable(v.string()),
    /** The end of its output. */
    output: v.string(),
  });
export type Failure = v.InferOutput<ReturnType<typeof failure>>;

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
    /** Who put it there: the workspace's agent, or the sender of a message to the person. */
    sender: v.nullable(v.string()),
    /** [U9] Its message, if it is one. */
    kind: v.nullable(v.picklist(kinds)),
    threadId: v.nullable(v.string()),
    messageId: v.nullable(v.string()),
    /** The answers that the message offers (`payload.choices`). */
    choices: v.nullable(v.array(v.string())),
    answeredAt: v.nullable(v.string()),
    /** [U10] Who answered, and what. */
    answeredBy: v.nullable(v.string()),
    answer: v.nullable(v.string()),
    needs: v.nullable(v.picklist(entryNeeds)),
    failure: v.nullable(failure()),
    archivedAt: v.nullable(v.string()),
    /** Null where it is not snoozed. */
    snoozedAt: v.nullable(v.string()),
    /** If it is snoozed, null means until the next entry of its thread or sender. */
    snoozedUntil: v.nullable(v.string()),
  });

export type Entry = v.InferOutput<ReturnType<typeof entry>>;

export const exampleEntry = "0b7d2c1e-5f3a-4a44-9d86-1f0c8a7e2b11";

export const entryId = (help = "the entry") =>
  described(
    v.pipe(
      v.string("must be an entry's id"),
      v.regex(
        entryIdForm,
        (issue) => `must be an entry's id, a lowercase UUID, got ${quotedValue(issue.input)}`,
      ),
    ),
    { type: "text", value: "ENTRY", example: exampleEntry, help },
  );

const docsLimit = 100;

/** [U2] A path in the workspace, which never leads out of it. */
export function pathProblem(path: string): string | undefined {
  if (path.trim() === "" || path.length > 1024) return "must be a path of 1 to 1024 characters";
  if (path.includes("\u0000") || !path.isWellFormed()) return "must be valid text without U+0000";
  if (/^([/\\~]|[a-z]:)/i.test(path)) return "must be a path relative to the workspace";
  if (path.split(/[/\\]/).includes("..")) return "must not lead outside the workspace";
  return undefined;
}

/** A path inside a workspace. */
export const documentPath = () =>
  v.pipe(
    v.string("must be text"),
    v.check(
      (path) => pathProblem(path) === undefined,
      (issue) => `${pathProblem(issue.input)}, got ${quotedValue(issue.input)}`,
    ),
  );

export const documents = () =>
  v.pipe(
    v.array(
      v.strictObject({ path: documentPath() }, 'must be an object with a path: {"path": "report.md"}'),
      "must be a list of objects with a path",
    ),
    v.maxLength(docsLimit, `must name at most ${docsLimit} documents`),
  );

export const docs = () =>
  v.optional(
    described(documents(), {
      type: "json",
      value: "PATH,…",
      paths: true,
      flag: "docs",
      help: "files to show, by their paths relative to the workspace",
    }),
  );

export const comments = () => v.optional(text("your comments, in Markdown", { file: true, empty: true }));

const choicesLimit = 50;
const choiceLength = 200;

/** Answers to choose from: the person's page shows them as buttons. */
export const choices = () =>
  v.optional(
    described(
      v.pipe(
        v.array(
          v.pipe(
            text("an answer", { limit: choiceLength }),
            v.check((choice) => choice.trim() !== "", "must not be blank"),
          ),
          "must be a list",
        ),
        v.minLength(1, "must list at least one answer"),
        v.maxLength(choicesLimit, `must list at most ${choicesLimit} answers`),
        v.check((all) => new Set(all).size === all.length, "must not list an answer twice"),
      ),
      { type: "list", value: "ANSWER,…", help: "answers to choose from, shown to the person as buttons" },
    ),
  );

/** The choices of a message; null if it has none that could be shown as buttons. */
export function choicesIn(payload: Record<string, unknown>): string[] | null {
  const { choices } = payload;
  if (!Array.isArray(choices) || !choices.length || choices.length > choicesLimit) return null;
  const fits = (one: unknown) => typeof one === "string" && one.trim() !== "" && one.length <= choiceLength;
  return choices.every(fits) ? choices : null;
}
