/** [Q8] Arguments with placeholders: `{prompt} {model} {name} {cwd} {session}`. Any other brace is left as it is. */
export const places = ["prompt", "model", "name", "cwd", "session"] as const;

export type Placeholder = (typeof places)[number];

export const place = new RegExp(`\\{(${places.join("|")})\\}`, "g");

export const mentions = (words: readonly string[], wanted: Placeholder) =>
  words.some((word) => word.includes(`{${wanted}}`));

/** Programs that run one of their arguments as code, and the flag before that argument. */
const interpreters: readonly (readonly [program: RegExp, flag: RegExp])[] = [
  [/^(ba|da|z|k|a|fi|c|tc)?sh$/, /^-\w*c$/],
  [/^(python|pypy)[\d.]*$/, /^-\w*c$/],
  [/^pwsh$/, /^-(c|command)$/i],
  [/^(perl|ruby|lua)[\d.]*$/, /^-\w*e$/],
  [/^(node|bun|deno)$/, /^(-\w*[ep]|--eval|--print|eval)$/],
  [/^php[\d.]*$/, /^-\w*r$/],
];

/**
 * An argument that is code and contains a placeholder: the inserted text would be run, whoever wrote it. An argument
 * that is only a placeholder is the user's own choice.
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
