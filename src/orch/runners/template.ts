/** [Q8] Arguments with places to fill: `{prompt} {model} {name} {cwd} {session}`. Any other brace stays as it is. */
import { InboxError } from "../../contract/errors.ts";
import type { Job } from "./runner.ts";

export const places = ["prompt", "model", "name", "cwd", "session"] as const;
type Placeholder = (typeof places)[number];

const place = new RegExp(`\\{(${places.join("|")})\\}`, "g");

export const mentions = (words: readonly string[], wanted: Placeholder) =>
  words.some((word) => word.includes(`{${wanted}}`));

/** Programs that run one of their arguments as code, and the flag before it. */
const interpreters: readonly (readonly [program: RegExp, flag: RegExp])[] = [
  [/^(ba|da|z|k|a|fi|c|tc)?sh$/, /^-\w*c$/],
  [/^(python|pypy)[\d.]*$/, /^-\w*c$/],
  [/^pwsh$/, /^-(c|command)$/i],
  [/^(perl|ruby|lua)[\d.]*$/, /^-\w*e$/],
  [/^(node|bun|deno)$/, /^(-\w*[ep]|--eval|--print|eval)$/],
  [/^php[\d.]*$/, /^-\w*r$/],
];

/**
 * An argument that is code with a place in it: what is put in there would be run, whoever wrote it. One that is nothing but
 * a place is what somebody chose to be run.
 */
export function codeWithPlace(words: readonly string[]): string | undefined {
  return words.find((word, i) => {
    if (!word.match(place) || /^\{\w+\}$/.test(word)) return false;
    return interpreters.some(
      ([program, flag]) =>
        flag.test(words[i - 1] ?? "") &&
        words.slice(0, i - 1).some((before) => program.test(before.slice(before.lastIndexOf("/") + 1))),
    );
  });
}

/** In one pass: what a value says is never taken for a place. */
export function filled(words: readonly string[], job: Pick<Job, Placeholder>): string[] {
  return words.map((word) => word.replace(place, (_, name: Placeholder) => job[name] ?? ""));
}

/** Where flags go that were not in the command: before a `--`, which ends flags, else last. */
export function withFlags(command: readonly string[], flags: readonly string[]): string[] {
  const end = command.indexOf("--");
  return end < 0 ? [...command, ...flags] : [...command.slice(0, end), ...flags, ...command.slice(end)];
}

/** What Linux takes for one argument (MAX_ARG_STRLEN), with its closing byte. */
const argumentLimit = 128 * 1024 - 1;

/** Whether a text can be a variable of an environment: its name goes with it, and the system wants the end of it unmistakable. */
export const fits = (text: string) =>
  Buffer.byteLength(text) < argumentLimit - 64 && !text.includes("\u0000");

export function checkArguments(argv: readonly string[]): void {
  const longest = Math.max(...argv.map((word) => Buffer.byteLength(word)));
  if (longest > argumentLimit)
    throw new InboxError(
      "too_large",
      `the prompt makes an argument of ${longest} bytes for ${argv[0]}; the system takes ${argumentLimit}`,
      { hint: 'take {prompt} out of the runner\'s command and set prompt = "stdin" in .agents/agents.toml' },
    );
}
