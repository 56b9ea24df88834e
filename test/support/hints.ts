/** What a hint tells its reader to type. */
import type { AnyOperation } from "../../src/contract/operation.ts";
import { findCommand, operationsOf, type Program } from "../../src/surfaces/cli/commands.ts";
import { flagsOf, globalFlags } from "../../src/surfaces/cli/flags.ts";

export interface Typed {
  program: Program;
  argv: string[];
}

/** Words as a shell takes them; what ends a phrase is a word of its own. */
const tokens = (text: string): string[] =>
  [...text.matchAll(/'[^']*'|"[^"]*"|[;,](?=\s|$)|[^\s;,]+(?:[;,][^\s;,]+)*/g)].map(([token]) => token);

const bare = (token: string) => token.replace(/^(['"])(.*)\1$/s, "$2");

/** Placeholders, ids, flags, assignments, paths and quoted text belong to a command; any other word ends it. */
const belongs = (token: string) =>
  /^(?:-|['"])|^[A-Z]{2,}$|^N$|^\w+_\d+$|^\d+$|=|[/.]|^ws-|^[0-9a-f]{8}-/.test(token);

/** Every command in a text, as far as its arguments can be told from what follows. */
export function commandsIn(text: string): Typed[] {
  const words = tokens(text);
  let past = 0; // `inbox msg inbox` is one command
  return words.flatMap((word, at) => {
    if (at < past || (word !== "inbox" && word !== "orch")) return [];
    const rest = words.slice(at + 1);
    const found = findCommand(rest.slice(0, 3).map(bare), word);
    const length = found?.length ?? 0;
    const more = rest.slice(length);
    let end = 0;
    const ops = operationsOf(found?.command ?? "", word);
    const flags = [...globalFlags, ...ops.flatMap(flagsOf)];
    const takesValue = (token?: string) =>
      flags.some(({ name, value }) => name === token && value !== undefined);
    // What it cannot do without is there, whatever it looks like.
    const required = (op: AnyOperation) =>
      flagsOf(op).filter(
        ({ field, role }) => role === "value" && field.required && op.cli.plain?.includes(field.key),
      );
    const plain = more[0]?.startsWith("-") ? 0 : Math.max(0, ...ops.map((op) => required(op).length));
    while (end < more.length && (end < plain || belongs(more[end]!) || takesValue(more[end - 1]))) end++;
    past = at + 1 + length + end;
    const argv = [...rest.slice(0, length), ...more.slice(0, end)].map(bare);
    return argv.length ? [{ program: word, argv }] : [];
  });
}

export const flagsIn = (text: string): string[] => [
  ...new Set([...text.matchAll(/(?<![\w-])--[a-z][a-z0-9-]*/g)].map(([flag]) => flag)),
];
