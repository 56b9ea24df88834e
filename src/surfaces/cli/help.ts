/** `--help`, derived from the operation table. */
import type { AnyOperation } from "../../contract/operation.ts";
import { spelledWhole } from "../../contract/phrase.ts";
import { inShell } from "../spelling/shell.ts";
import {
  examplesIn,
  groupSummary,
  operationsFor,
  operationsOf,
  ownCommands,
  type Program,
  subcommandsOf,
} from "./commands.ts";
import { assigns, type Flag, flagsOf, globalFlags, plainWord } from "./flags.ts";

const column = (rows: [string, string][], least = 0) => {
  const width = Math.min(34, Math.max(least, ...rows.map(([left]) => left.length)));
  return rows
    .map(([left, right]) =>
      left.length > width
        ? `  ${left}\n  ${" ".repeat(width)}  ${right}`
        : `  ${left.padEnd(width)}  ${right}`,
    )
    .join("\n");
};

/** Breaks lines for a terminal of ordinary width. */
export const wrapped = (text: string) => text.replace(/(.{1,96})(?: +|$)/g, "$1\n").trimEnd();

const globalRows = (without: ReadonlySet<string> = new Set()): [string, string][] =>
  globalFlags
    .filter(({ name }) => !without.has(name))
    .map(({ name, short, value, help }) => [
      `${short ? `${short}, ` : ""}${name}${value ? ` ${value}` : ""}`,
      help,
    ]);

const about: Record<Program, { what: string; round: string }> = {
  inbox: {
    what: "the command line of Restante, a durable bus for coding agents",
    round: `  inbox init
  inbox send --agent leader --to worker --subject "Say hello"
  inbox claim --agent worker
  inbox done thr_1 "Hello" --agent worker
  inbox show thr_1`,
  },
  orch: {
    what: "runs sub-agents for Restante, a durable bus for coding agents; their results are delivered to your inbox",
    round: `  orch agents
  orch push name=hello "Say hello"
  orch run
  inbox receive
  orch log hello`,
  },
};

/** [C3] */
const exitCodes = `Exit codes: 0 ok, 1 failed (orch handoff, orch merge) or denied (orch permit), 10 nothing to act on, or nothing came in time,
20 conflict, 30 invalid or not allowed, 40 not found or expired, 50 unavailable (storage, hub, quota),
130 interrupted (Ctrl-C), 141 output closed (SIGPIPE), 143 terminated.
inbox ask --wait: 0 for the first choice, 1 for the second, up to 9; 10 if nothing was decided in time.`;

/** The nouns of operations, in groups for people. */
const headings: readonly (readonly [heading: string, nouns: readonly string[]])[] = [
  ["Threads: work that one agent claims, with a lease", ["threads"]],
  ["Mail: messages to one agent, collected once", ["mailbox"]],
  ["Channels: message streams, each reader with its own position", ["messages"]],
  ["Sub-agents", ["tasks", "costs"]],
  ["The person's inbox", ["entries", "workspaces", "mutes", "notifications"]],
  ["Agents, pools, dead letters, events", ["agents", "pools", "deadLetters", "events", "search", "stats"]],
  ["The database and the hub", ["bus"]],
  ["Tokens, retention, quotas, audit", ["tokens", "retention", "quotas", "audit"]],
];

function groupedCommands(program: Program): string {
  const rowsOf = (nouns: readonly string[]) =>
    operationsFor(program)
      .filter(({ name }) => nouns.includes(name.split(".")[0]!))
      .map((op): [string, string] => [op.cli.listed ?? op.cli.command, op.summary]);
  const own = Object.entries(ownCommands(program)).map(([name, text]): [string, string] => [name, text]);
  // Each program lists its main purpose first.
  const first = program === "orch" ? "tasks" : "threads";
  const order = headings.toSorted((a, b) => Number(b[1].includes(first)) - Number(a[1].includes(first)));
  const groups: [string, [string, string][]][] = [
    ...order.map(([heading, nouns]): [string, [string, string][]] => [heading, rowsOf(nouns)]),
    ["This program", own],
  ];
  const width = Math.max(...groups.flatMap(([, rows]) => rows.map(([left]) => left.length)));
  return groups
    .filter(([, rows]) => rows.length)
    .map(([heading, rows]) => `${heading}:\n${column(rows, width)}`)
    .join("\n\n");
}

export function programHelp(program: Program, version: string): string {
  return `${program} ${version}: ${about[program].what}

Usage: ${program} COMMAND [flags]

${groupedCommands(program)}

Global flags:
${column(globalRows())}

${exitCodes}

Example:
${about[program].round}
`;
}

/** For commands that are not operations. */
export const ownHelp: Record<string, (program: Program) => string> = {
  shell: () => `Run slash commands interactively, as the agent main unless --agent is given.

Usage: inbox shell [--agent NAME] [--db PATH]

  /push name=research "Compare the two drafts"
  /run
  /receive
  /help

Lines may also come from a pipe: inbox shell < commands
`,
  help: (program) => `Show what a command does; without one, all commands.

Usage: ${program} help [COMMAND]

Example:
  ${program} help ${program === "orch" ? "push" : "msg ack all"}
`,
  completion: (
    program,
  ) => `Print a script that completes commands, flags, values, and the names of agents, threads, tasks and topics.

Usage: ${program} completion bash|zsh|fish
       ${program} completion names agents|threads|tasks|topics

Examples:
  source <(${program} completion bash)
  ${program} completion fish > ~/.config/fish/completions/${program}.fish
`,
};

/** [C12] For a word that is not a command by itself: its subcommands. */
export function groupHelp(word: string, program: Program): string {
  return `${groupSummary(word)}.

Usage: ${program} ${word} COMMAND [flags]

Commands:
${column(subcommandRows(word, program))}

Help on one command: ${program} help ${subcommandsOf(word, program)[0]}
`;
}

const subcommandRows = (word: string, program: Program) =>
  subcommandsOf(word, program)
    .flatMap((name) => operationsOf(name, program))
    .map((op): [string, string] => [[op.cli.command, usageWords(op)].filter(Boolean).join(" "), op.summary]);

/** For a command that is also the beginning of others (`retain`, `retain set`), with those. */
export function commandHelp(command: string, program: Program): string {
  const more = subcommandRows(command, program);
  const all = operationsOf(command, program);
  // A flag that the command describes itself (`list --agent`) is not listed again below.
  const own = new Set(all.flatMap((op) => ownFlags(op).map(({ name }) => name)));
  return `${all
    .map((op) => operationHelp(op, program))
    .join("\n")}${more.length ? `\nCommands:\n${column(more)}\n` : ""}
Global flags:
${column(globalRows(own))}
`;
}

/** Its plain arguments, as a usage line shows them: `THREAD [SUMMARY]`. */
export function plainWords(op: AnyOperation): string {
  const required = new Set(flagsOf(op).flatMap(({ field }) => (field.required ? [field.key] : [])));
  return (op.cli.plain ?? [])
    .map((key) => (required.has(key) ? plainWord(op, key) : `[${plainWord(op, key)}]`))
    .join(" ");
}

/** With the flags that it cannot do without: `THREAD --to AGENT`. The caller's name may be in the environment. */
export function usageWords(op: AnyOperation): string {
  const required = flagsOf(op).filter(
    ({ role, field: { key, required } }) =>
      required && role !== "file" && key !== op.cli.identity && !op.cli.plain?.includes(key),
  );
  const words = required.map(({ name, value }) => (value === undefined ? name : `${name} ${value}`));
  return [plainWords(op), ...words].filter(Boolean).join(" ");
}

/** The flag that chooses this form of a command that has two. */
const chosenBy = ({ cli }: AnyOperation) => cli.needs && `--${cli.needs}`;

/** [Q1] Says that flags can also be written as `key=value`, with one of its own as the example. */
function assigning(op: AnyOperation, flags: readonly Flag[]): string {
  if (!assigns(op)) return "";
  const flag = flags.find(
    ({ name, value, field }) => value && name !== "--agent" && !op.cli.plain?.includes(field.key),
  );
  if (!flag) return "";
  const value = flag.value!.split("|")[0]!.replace(/,…$/, "");
  const example = `${flag.name.slice(2)}=${value}`;
  return `\n\nA flag can also be written as key=value: ${example} is the same as ${flag.name} ${value}.\nWords after -- are never flags.`;
}

/** The caller is a global flag. */
const ownFlags = (op: AnyOperation) =>
  flagsOf(op).filter(({ name }) => name !== "--agent" || op.cli.identity === undefined);

function operationHelp(op: AnyOperation, program: Program): string {
  const all = flagsOf(op);
  const needed = usageWords(op);
  const flags = ownFlags(op).map(({ name, value, help, field }): [string, string] => [
    value ? `${name} ${value}` : name,
    field.required && field.key !== op.cli.identity && !op.cli.plain?.includes(field.key)
      ? `${help} (required)`
      : help,
  ]);
  const examples = examplesIn(program, op);
  const sections = [
    `${op.summary}.${op.detail ? `\n${wrapped(spelledWhole(op.detail, inShell(op)))}` : ""}`,
    `Usage: ${program} ${[op.cli.command, chosenBy(op), needed, "[flags]"].filter(Boolean).join(" ")}`,
    flags.length ? `Flags:\n${column(flags)}${assigning(op, all)}` : "",
    `${examples.length > 1 ? "Examples" : "Example"}:\n${examples.map((line) => `  ${line}`).join("\n")}`,
  ];
  return `${sections.filter(Boolean).join("\n\n")}\n`;
}
