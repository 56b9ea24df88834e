/** [Q13] The slash commands: which command of which program each means. */
import { InboxError } from "../../contract/errors.ts";
import { didYouMean } from "../../contract/suggest.ts";
import { operationsFor, type Program } from "./commands.ts";

/** What has another name there, or is in both programs. */
const otherNames: Readonly<Record<string, readonly [Program, string]>> = {
  inbox: ["inbox", "mail"],
  show: ["inbox", "show"],
  task: ["orch", "show"],
  agents: ["inbox", "agents"],
  profiles: ["orch", "agents"],
  gather: ["inbox", "gather"],
};

export function slashCommands(): Map<string, readonly [Program, string]> {
  const all = new Map<string, readonly [Program, string]>();
  // What is about a database or a server is typed in a shell.
  for (const program of ["inbox", "orch"] as const)
    for (const { kind, cli } of operationsFor(program))
      if (kind !== "local" || cli.slash) all.set(cli.command, [program, cli.command]);
  for (const [name, meaning] of Object.entries(otherNames)) all.set(name, meaning);
  return all;
}

/** `/push name=a "…"` → orch, push name=a …. Two words may be one command: `/dlq list`. */
export function meantBy(words: readonly string[]): { program: Program; argv: string[] } {
  const all = slashCommands();
  const named = words[0]!.replace(/^\//, "");
  const two = all.get([named, ...words.slice(1, 2)].join(" "));
  const found = two ?? all.get(named);
  if (!words[0]!.startsWith("/"))
    throw new InboxError("invalid_input", "a command begins with /", {
      hint: all.has(named) ? `/${words.join(" ")}` : "/help lists the commands",
    });
  if (!found) {
    const guess = didYouMean(named, all.keys());
    throw new InboxError("invalid_input", `there is no command /${named}${guess ? `; ${guess}` : ""}`, {
      hint: "/help lists the commands",
    });
  }
  const [program, command] = found;
  return { program, argv: [...command.split(" "), ...words.slice(two ? 2 : 1)] };
}
