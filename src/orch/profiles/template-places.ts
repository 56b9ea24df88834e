/** [Q8] Arguments with places to fill: `{prompt} {model} {name} {cwd} {session}`. Any other brace stays as it is. */
export const places = ["prompt", "model", "name", "cwd", "session"] as const;

export type Placeholder = (typeof places)[number];

export const place = new RegExp(`\\{(${places.join("|")})\\}`, "g");

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
