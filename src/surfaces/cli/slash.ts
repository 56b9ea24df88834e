/** [Q13] The command and program that each slash command stands for. */
import { InboxError } from "../../contract/errors.ts";
import type { AnyOperation } from "../../contract/operation.ts";
import { closestCommand, meant } from "../../contract/suggest.ts";
import { operationsFor, operationsOf, type Program } from "./commands.ts";
import { flagsOf, globalFlags, isText } from "./flags.ts";

/** Commands with another name in the shell, or that both programs have. */
const otherNames: Readonly<Record<string, readonly [Program, string]>> = {
  inbox: ["inbox", "mail"],
  show: ["inbox", "show"],
  task: ["orch", "show"],
  agents: ["inbox", "agents"],
  profiles: ["orch", "agents"],
  gather: ["inbox", "gather"],
  send: ["inbox", "send"],
  tell: ["orch", "send"],
};

export function slashCommands(): Map<string, readonly [Program, string]> {
  const all = new Map<string, readonly [Program, string]>();
  // Commands about a database or a server are not slash commands.
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
    const guess = meant(closestCommand(named, all.keys()).map((name) => `/${name}`));
    throw new InboxError("invalid_input", `there is no command /${named}${guess ? `; ${guess}` : ""}`, {
      hint: "/help lists the commands",
    });
  }
  const [program, command] = found;
  const rest = words.slice(two ? 2 : 1);
  // Commands of the queue join text themselves: their options look like words.
  const text = program === "orch" ? rest : textInOne(operationsOf(command, program), rest);
  return { program, argv: [...command.split(" "), ...text] };
}

/** Text at the end may be given without quotes: the words of `/send bob hello there` are one message. */
function textInOne(forms: readonly AnyOperation[], words: readonly string[]): readonly string[] {
  const op = forms.find(({ cli }) => cli.plain !== undefined);
  const keys = op?.cli.plain ?? [];
  const flags = forms.flatMap(flagsOf);
  const last = flags.find(({ field }) => field.key === keys.at(-1));
  if (!last || !isText(last) || words.includes("--")) return words;
  const plain: string[] = [];
  const others: string[] = [];
  words.forEach((word, at) => {
    const valueOfFlag = [...globalFlags, ...flags].some(
      ({ name, value }) => name === words[at - 1] && value !== undefined,
    );
    (word.startsWith("--") || valueOfFlag ? others : plain).push(word);
  });
  if (plain.length <= keys.length) return words;
  return [...plain.slice(0, keys.length - 1), plain.slice(keys.length - 1).join(" "), ...others];
}

/** Spells a command in an error as it is typed here. */
export function inSlashes(text: string): string {
  const names = [...slashCommands()].sort(([, [, a]], [, [, b]]) => b.length - a.length);
  return names.reduce(
    (said, [name, [program, command]]) =>
      said.replaceAll(new RegExp(`\\b${program} ${command}\\b`, "g"), `/${name}`),
    text,
  );
}
