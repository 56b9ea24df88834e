/** Finds the operation for the words of a command. Two operations may share a command: the other arguments decide (`send`). */
import type { AnyOperation } from "../../contract/operation.ts";
import { table } from "../../contract/operations/index.ts";

export type Program = "inbox" | "orch";

const operations = table as readonly AnyOperation[];

/** Commands of both programs are listed last in the second. */
export const operationsFor = (program: Program, among = operations) => {
  const own = among.filter(({ cli }) => (cli.program ?? "inbox") === program);
  const shared = among.filter(({ cli }) => cli.program === "both");
  return [...own, ...shared];
};

/** A command that both programs have is shown with the program that was called. */
export const examplesIn = (program: Program, { cli, examples }: AnyOperation): readonly string[] =>
  cli.program === "both" ? examples.map((line) => line.replace(/^inbox /, `${program} `)) : examples;

/** Commands about the program itself, not about the bus. */
export const ownCommands = (program: Program): Record<string, string> => ({
  ...(program === "inbox" && {
    shell: "Interactive shell for the slash commands: /push /run /queue /send /receive /check /inbox",
  }),
  help: `Show what a command does: ${program} help ${program === "inbox" ? "claim" : "push"}`,
  completion: `Print a completion script: ${program} completion bash|zsh|fish`,
});

export const commandNames = (program: Program = "inbox") => [
  ...new Set(operationsFor(program).map((op) => op.cli.command)),
];

export const operationsOf = (command: string, program: Program) => {
  const named = operations.filter((op) => op.command === command);
  return operationsFor(program, named);
};

/** The longest command at the beginning of the words, and its number of words. */
export function findCommand(
  words: readonly string[],
  program: Program,
): { command: string; length: number } | undefined {
  for (const length of [3, 2, 1]) {
    const command = words.slice(0, length).join(" ");
    if (words.length >= length && operationsOf(command, program).length) return { command, length };
  }
  return undefined;
}

/** First words of several commands. `pool` alone is not a command, `retain` alone is. */
const groups: Readonly<Record<string, string>> = {
  mute: "Mutes: agents and threads whose new entries go to the archive",
  notify: "Notifications: devices of the person that get push notifications",
  msg: "Channels: message streams, each reader with its own position",
  dlq: "Dead letters: messages that could not be delivered",
  pool: "Pools: groups of agents that share assigned work",
  workspace: "Workspaces: folders that agents work in, shown to the person by label",
  entries: "The person's inbox: documents and comments from agents",
  retain: "Retention: how long the bus keeps finished data",
  quota: "Quotas: how much one agent may write and keep open",
  costs: "Costs: what tasks have used, by day, and the daily limit",
  token: "Tokens: who may call a hub, and with which scope",
};

/** The commands of a group; none if the word is not a group. */
export const subcommandsOf = (word: string, program: Program) =>
  commandNames(program).filter((name) => name.startsWith(`${word} `));

export const groupSummary = (word: string) => groups[word] ?? `Commands of the group ${word}`;
