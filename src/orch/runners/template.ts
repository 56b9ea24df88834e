/** [Q8] A command with its placeholders filled in, within the limits of the system. */
import { InboxError } from "../../contract/errors.ts";
import { type Placeholder, place } from "../profiles/template-places.ts";
import type { Job } from "./runner.ts";

/** In one pass: text that was inserted is never taken for a placeholder. */
export function filled(words: readonly string[], job: Pick<Job, Placeholder>): string[] {
  return words.map((word) => word.replace(place, (_, name: Placeholder) => job[name] ?? ""));
}

/** Where additional flags go: before a `--`, which ends flags, else last. */
export function withFlags(command: readonly string[], flags: readonly string[]): string[] {
  const end = command.indexOf("--");
  return end < 0 ? [...command, ...flags] : [...command.slice(0, end), ...flags, ...command.slice(end)];
}

/** The maximum length of one argument on Linux (MAX_ARG_STRLEN), with its terminating byte. */
const argumentLimit = 128 * 1024 - 1;

/** Whether a text can be a variable of an environment: its name counts too, and the text must not contain a NUL byte. */
export const fits = (text: string) =>
  Buffer.byteLength(text) < argumentLimit - 64 && !text.includes("\u0000");

export function checkArguments(argv: readonly string[]): void {
  const longest = Math.max(...argv.map((word) => Buffer.byteLength(word)));
  if (longest > argumentLimit)
    throw new InboxError(
      "too_large",
      `the prompt makes an argument of ${longest} bytes for ${argv[0]}; the system allows ${argumentLimit}`,
      { hint: 'take {prompt} out of the runner\'s command and set prompt = "stdin" in .agents/agents.toml' },
    );
}
