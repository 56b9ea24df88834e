/** From words to operations. Two operations may share a command: what else is given decides (`send`). */
import type { AnyOperation } from "../../contract/operation.ts";
import { table } from "../../contract/operations/index.ts";

export type Program = "inbox" | "orch";

export const operations = table as readonly AnyOperation[];

/** Commands that are about the program, not about the bus. */
export const ownCommands: Record<string, string> = {
  help: "Show what a command does: inbox help claim",
  completion: "Print a completion script: inbox completion bash|zsh|fish",
};

export const commandNames = () => [...new Set(operations.map((op) => op.cli.command))];

export const operationsOf = (command: string) => operations.filter((op) => op.cli.command === command);

/** The longest command the words begin with, and how many words it has. */
export function findCommand(words: readonly string[]): { command: string; length: number } | undefined {
  for (const length of [3, 2, 1]) {
    const command = words.slice(0, length).join(" ");
    if (words.length >= length && operationsOf(command).length) return { command, length };
  }
  return undefined;
}

/** `pool` is no command, but `pool join` is. */
export const subcommandsOf = (word: string) => commandNames().filter((name) => name.startsWith(`${word} `));
