/**
 * [X11] Names of agents, channels, pools, runs, readers and tasks: which texts can be a name at all, and which can
 * become a new one. Of two names that look the same only one can be created. Names from before that rule stay valid,
 * so the second check is made only when a name is used for the first time.
 */

const lengthLimit = 128;

/** What nearly all names are: these have none of the problems below. */
const usual = /^[A-Za-z0-9_][\w.:/@-]{0,127}$/;

/** Why a text can never be a name; undefined if it can. */
export function nameProblem(name: string): string | undefined {
  if (usual.test(name)) return undefined;
  if (name === "") return "must not be empty";
  const length = [...name].length;
  if (length > lengthLimit) return `must have at most ${lengthLimit} characters, got ${length}`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(name) || !name.isWellFormed())
    return `must not contain control characters, got ${shownName(name)}`;
  if (name.startsWith("-")) return `must not start with "-", got ${shownName(name)}`;
  if (name === "*") return 'must be one name, not "*"';
  if (name === "." || name === "..") return `must not be "${name}", which an address cannot hold`;
  if (name.trim() !== name) return `must not begin or end with a space, got ${shownName(name)}`;
  return undefined;
}

/** The person, and the default agent of commands: no new name may look like theirs. */
const reserved = ["user", "main"] as const;

const plain = /^[\u0020-\u007e]*$/;
// The following is needed only for names that are not plain, and is built then: every command loads this file.

/** Invisible characters, and characters that change how their neighbours are shown. U+2800 is a blank that counts as a symbol. */
const unseen = () => /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/u;
const manyMarks = () => /^\p{M}|\p{M}{4}/u;
/** Latin letters of phonetics and old spellings, many of which look like a to z. */
const oddLatin = () => /[\u01c0-\u01c3\u0251\u0261\u0269\u1d00-\u1dbf\ua720-\ua7ff\uab30-\uab6f]/u;
const word = () => /[\p{L}\p{M}]+/gu;

/** Letters of other scripts, and the Latin letters that they look like. */
const foreign = "асԁеһіјӏорԛѕԝхуѵьпгАВСЕНІЈКМОРЅТХУԚԜѴЬαικνορυωητχγΑΒΕΖΗΙΚΜΝΟΡΤΥΧօոսցհԼՏՍՕ";
const latin = "acdehijlopqswxyvbnrABCEHIJKMOPSTXYQWVbaikvopuwntxyABEZHIKMNOPTYXonugnLSUO";
/** By position: no letter of theirs takes two places in a text of ours. */
const drawnLike = (letter: string): string | undefined => latin[foreign.indexOf(letter)];
const onlyForeign = () => new RegExp(`^[${foreign}]+$`, "u");

/** The scripts in common use; and those that are written together, in one word. */
const scripts = (
  "Latin Cyrillic Greek Arabic Hebrew Devanagari Armenian Bengali Ethiopic Georgian Gujarati Gurmukhi Kannada Khmer Lao " +
  "Malayalam Myanmar Oriya Sinhala Tamil Telugu Thaana Thai Tibetan Latin+Han+Hiragana+Katakana Latin+Han+Bopomofo Latin+Han+Hangul"
).split(" ");

let ofOneScript: RegExp[] | undefined;

/** Whether a word is of one script. A mark that several scripts use belongs to each of them. */
function isOfOneScript(text: string): boolean {
  ofOneScript ??= scripts.map((together) => {
    const all = ["Common", "Inherited", ...together.split("+")].map((script) => `\\p{scx=${script}}`);
    return new RegExp(`^[${all.join("")}]*$`, "u");
  });
  return ofOneScript.some((script) => script.test(text));
}

/** Why a name that nobody has used yet is refused; undefined if it is accepted. */
export function newNameProblem(name: string): string | undefined {
  const hidden = plain.test(name) ? undefined : unseen().exec(name)?.[0];
  if (hidden !== undefined) return `contains ${codePoint(hidden)}, which is invisible`;
  // They separate names in lists, on the command line and in queries.
  const separator = /[,|]/.exec(name)?.[0];
  if (separator !== undefined) return `contains "${separator}", which separates names in a list`;
  if (name.includes("  ")) return "has two spaces in a row, which look like one";
  if (!plain.test(name)) {
    const normal = name.normalize("NFKC");
    if (normal !== name) return `is not in normal form (NFKC); write ${shownName(normal)}`;
    if (manyMarks().test(name)) return "has combining marks without a letter, or more than three on one";
    if (oddLatin().test(name))
      return `has ${codePoint(oddLatin().exec(name)![0])}, which looks like another letter`;
    for (const [part] of name.matchAll(word())) {
      if (!isOfOneScript(part)) return `mixes letters of several scripts in ${shownName(part)}`;
      if (onlyForeign().test(part)) return `has ${shownName(part)}, which looks like "${lookOf(part)}"`;
    }
  }
  const taken = takenBy(name);
  return taken === undefined ? undefined : `looks like "${taken}"`;
}

const takenBy = (name: string) => reserved.find((other) => name !== other && lookOf(name) === other);

/** What can be done about a name that is refused. */
export function newNameHint(name: string): string {
  const taken = plain.test(name) && !/[,|]/.test(name) ? takenBy(name) : undefined;
  if (taken !== undefined) return `write "${taken}" if that is meant, or choose another name`;
  return "use letters of one script, digits and punctuation other than , and |, in Unicode normal form NFKC";
}

/** [A2] Why a name cannot be a task's: commands also take tasks by id and branch; undefined if it can. */
export function taskNameProblem(name: string): string | undefined {
  if (/^task_[1-9][0-9]*$/.test(name)) return "is written like the id of a task";
  return name.startsWith("orch/") ? 'begins with "orch/", as the branches of tasks do' : undefined;
}

const inLatin = (name: string) =>
  Array.from(name.normalize("NFKD").replace(/[\p{M}\p{Default_Ignorable_Code_Point}]+/gu, ""))
    .map((letter) => drawnLike(letter) ?? letter)
    .join("");

/** What a name looks like at a glance: without case, accents, and differences that a font may hide. */
export const lookOf = (name: string): string =>
  (plain.test(name) ? name : inLatin(name))
    .toLowerCase()
    .replaceAll("ı", "i")
    .replace(/[1|]/g, "l")
    .replaceAll("0", "o")
    .replaceAll("rn", "m");

/** With invisible and confusable characters written as their numbers. */
export function shownName(name: string): string {
  const text = JSON.stringify(name).replace(/[^\u0020-\u007e]/gu, (letter) =>
    unseen().test(letter) || drawnLike(letter) !== undefined || oddLatin().test(letter)
      ? `\\u{${hex(letter)}}`
      : letter,
  );
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

const hex = (letter: string) => letter.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0");
const codePoint = (letter: string) => `U+${hex(letter)}`;
