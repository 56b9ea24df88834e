/** A folder an agent works in, with an id, a label and an agent. */
import * as v from "valibot";
import { described, quotedValue, text } from "./fields.ts";
import { shellWord } from "./shell-word.ts";

export const workspace = () =>
  v.strictObject({
    workspaceId: v.string(),
    path: v.string(),
    label: v.string(),
    agent: v.string(),
    createdAt: v.string(),
    /** The command that reopens its agent's session. */
    session: v.nullable(v.string()),
  });

export type Workspace = v.InferOutput<ReturnType<typeof workspace>>;

/** [U6] What a person types to reopen its agent's session; null if no command was given. */
export const wayBack = ({ path, session }: Workspace): string | null =>
  session === null ? null : `cd ${shellWord(path)} && ${session}`;

export const sessionCommand = (
  help = "the shell command that reopens its agent's session, run in that folder",
) => text(help, { limit: 4096, value: "COMMAND" });

/** What is given in place of a command, where there is to be none. */
export const noSession = "none";

export const workspaceId = (help = "the workspace") =>
  described(
    v.pipe(
      v.string("must be a workspace's id like ws-abc123"),
      v.regex(
        /^ws-[a-z0-9]{4,40}$/,
        (issue) => `must be a workspace's id like ws-abc123, got ${quotedValue(issue.input)}`,
      ),
    ),
    {
      type: "text",
      value: "WORKSPACE",
      example: "ws-abc123",
      flag: "workspace",
      formerFlag: "workspace-id",
      help,
    },
  );
