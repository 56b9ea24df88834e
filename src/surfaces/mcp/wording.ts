/**
 * [C10] A refusal in a model's words. What refuses speaks of commands and flags, as most of its readers know them; a model
 * has tools and arguments, and no shell. A clause about what is no tool is left out: a model could do nothing with it.
 */
import { type ErrorCode, errorTable, type InboxError } from "../../contract/errors.ts";
import type { AnyOperation } from "../../contract/operation.ts";
import { table } from "../../contract/operations/index.ts";

/** What to do next, where nothing better is known, or what is known is for people only. */
const hints: Partial<Record<ErrorCode, string>> = {
  invalid_input: "look at the tool's schema",
  too_large: "put it into a file, and send the file's path",
  invalid_state: "show tells where the thread stands",
  not_allowed: "your token or name does not allow this; ask whoever gave you the work",
  unauthenticated: "ask the person to renew this server's token",
  conflict: "look at what is there before you try again",
  not_found: "list shows the threads there are, agents who there is",
  not_initialized: "ask the person to create a bus for this folder; until then there is no mail and no work",
  storage: "only the person can fix this: tell them what it says",
};

const toolOf = new Map<string, string | undefined>();
// Two operations are called "send"; the later one, without a thread, is the one that hints mean without flags.
for (const { cli, mcp } of table as readonly AnyOperation[])
  toolOf.set(cli.command, "tool" in mcp ? mcp.tool : undefined);

const commands = [...toolOf.keys()].sort((a, b) => b.length - a.length).join("|");
const command = new RegExp(`\\b(?:inbox|orch) (${commands})(?![\\w-])`, "g");
const forPeople = new RegExp(`${command.source}|--(?:help|db)\\b|\\bINBOX_|/docs/|Bearer|https?://`);

export function inModelsWords(error: InboxError): { message: string; hint: string } {
  const { code, message, hint } = error;
  // [X7] Approving is the person's, and no tool's: the command is for them.
  if (error.details?.untrusted !== undefined)
    return { message, hint: `only the person can approve it: ${hint}` };
  const fallback = hints[code] ?? errorTable[code].hint;
  const clauses = hint === errorTable[code].hint ? [] : hint.split("; ").map(spelled).filter(isForModels);
  return { message: spelled(message), hint: clauses.join("; ") || fallback };
}

const isForModels = (clause: string) => !forPeople.test(clause);

const spelled = (text: string) =>
  text
    .replace(/,? or --[a-z-]+-file PATH/g, "")
    .replace(/\b(?:inbox) send (?=--to)/g, "send_task ")
    .replace(command, (whole, words: string) => toolOf.get(words) ?? whole)
    .replace(/--([a-z]+(?:-[a-z]+)*)/g, (whole, flag: string) =>
      flag === "help" || flag === "db" ? whole : flag.replaceAll("-", "_"),
    );
