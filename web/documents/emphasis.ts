/** What is emphasis, and what only has stars, underscores or tildes in it. CommonMark takes more for emphasis than people mean. */

/** A letter or digit of a script that has spaces between words: a mark beside it is inside a word. */
const wordChar =
  /[\p{N}_[\p{L}--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]]]/v;
/** Other scripts need no space around emphasis. */
const letter = /\p{L}/u;
const opens = /[\s([{"'“‘«—–:*_~]/;
const closes = /[\s)\]}.,;:!?"'”’»…—–*_~]/;
/** `*.ts,test/*` and `(*.a,*.b)` are not emphasis of what is between the stars. */
const notFirst = /[.,;:/\\|)\]}]/;
const notLast = /[([{</\\|]/;

/** Whether the text from here to there, with its marks, is emphasis; `2*3*4`, `x**2 + y**2` and `__init__.py` are not. */
export function isEmphasis(source: string, from: number, to: number): boolean {
  const before = source[from - 1] ?? " ";
  const after = source[to] ?? " ";
  if (wordChar.test(before) || wordChar.test(after)) return false;
  const text = source.slice(from, to);
  if (/^__\S*__$/.test(text)) return false;
  const mark = /^(\*\*|__|~~|)/.exec(text)![0];
  if (mark === "~~") return true;
  if (notFirst.test(text[mark.length || 1]!)) return false;
  if (mark) return true;
  if (!opens.test(before) && !letter.test(before)) return false;
  if (!closes.test(after) && !letter.test(after)) return false;
  if (/[.:]/.test(after) && wordChar.test(source[to + 1] ?? " ")) return false;
  return !notLast.test(text.at(-2)!);
}
