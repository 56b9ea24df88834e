/** [C10] An error for a model, spelled in tools and arguments; and what to do next if the hint is only for people. */
import { type ErrorCode, errorTable, type InboxError } from "../../contract/errors.ts";
import type { AnyOperation } from "../../contract/operation.ts";
import { spelled, spelledWhole } from "../../contract/phrase.ts";
import { inShell } from "../spelling/shell.ts";
import { inTools } from "../spelling/tools.ts";

/** Used if nothing better is known, and the hint of the table is for somebody with a shell or an address. */
const hints: Partial<Record<ErrorCode, string>> = {
  invalid_input: "look at the tool's schema",
  too_large: "put it into a file, and send the file's path",
  not_allowed: "your token or name does not allow this; ask whoever gave you the work",
  unauthenticated: "ask the person to renew this server's token",
  conflict: "look at what is there before you try again",
  not_initialized: "ask the person to create a bus for this folder; until then there is no mail and no work",
  storage: "only the person can fix this: tell them what it says",
};

/** Addresses, headers, variables and the documentation of requests mean nothing to a model. */
const forPrograms = /\bINBOX_|\/docs\/|Bearer|https?:\/\//;

/** `op` is the operation that was called. */
export function inModelsWords(error: InboxError, op?: AnyOperation): { message: string; hint: string } {
  const { code, said } = error;
  const spelling = inTools(op);
  const message = spelledWhole(said.message, spelling);
  // [X7] Only the person can approve, and no tool: the command is for the person.
  if (error.details?.untrusted !== undefined)
    return { message, hint: `only the person can approve it: ${spelled(said.hint, inShell())}` };
  const usual = hints[code] ?? spelled(errorTable[code].hint, spelling);
  if (error.hint === String(errorTable[code].hint)) return { message, hint: usual };
  const clauses = spelled(said.hint, spelling).split("; ");
  return { message, hint: clauses.filter((clause) => !forPrograms.test(clause)).join("; ") || usual };
}
