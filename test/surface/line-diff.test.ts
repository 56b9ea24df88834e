import { expect, test } from "bun:test";
import fc from "fast-check";
import { lineDiff, partsOf } from "../../src/contract/line-diff.ts";

const marked = (before: string, after: string) =>
  lineDiff(before, after).lines.map(
    ({ is, text }) => `${{ same: " ", added: "+", removed: "-" }[is]}${text}`,
  );

test("[U15] a difference has both texts in it, and no line is marked that need not be", () => {
  expect(marked("a\nb\nc\n", "a\nx\nc\nd\n")).toEqual([" a", "-b", "+x", " c", "+d"]);
  expect(marked("a\nb\nc\nd\n", "b\nd\n")).toEqual(["-a", " b", "-c", " d"]);
  expect(marked("a\r\nb", "a\nb\n")).toEqual([" a", " b"]);
  expect(marked("", "a\n")).toEqual(["+a"]);
  const text = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 30 });
  fc.assert(
    fc.property(text, text, (old, next) => {
      const { lines, added, removed } = lineDiff(old.join("\n"), next.join("\n"));
      const but = (not: string) => lines.filter(({ is }) => is !== not).map((line) => line.text);
      expect(but("added")).toEqual(old);
      expect(but("removed")).toEqual(next);
      expect(lines.filter(({ is }) => is === "same")).toHaveLength(commonLength(old, next));
      expect(added - removed).toBe(next.length - old.length);
    }),
  );
});

/** The longest common subsequence, the slow way. */
function commonLength(a: readonly string[], b: readonly string[]): number {
  const best = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = 1; i <= a.length; i++)
    for (let j = 1; j <= b.length; j++)
      best[i]![j] =
        a[i - 1] === b[j - 1] ? best[i - 1]![j - 1]! + 1 : Math.max(best[i - 1]![j]!, best[i]![j - 1]!);
  return best[a.length]![b.length]!;
}

test("[U15] texts that have nothing in common are replaced, without comparing each line with each", () => {
  const lines = (name: string) => Array.from({ length: 40_000 }, (_, n) => `${name} ${n}`);
  const middle = lineDiff(
    ["same", ...lines("a"), "end"].join("\n"),
    ["same", ...lines("b"), "end"].join("\n"),
  );
  expect([middle.added, middle.removed]).toEqual([40_000, 40_000]);
  expect(middle.lines[0]).toEqual({ is: "same", text: "same" });
});

test("[U15] unchanged lines far from a change are left out, with their number", () => {
  const old = Array.from({ length: 100 }, (_, n) => `line ${n}`);
  const { lines } = lineDiff(old.join("\n"), old.with(50, "new").join("\n"));
  expect(partsOf(lines).map((part) => ("left" in part ? part.left : part.lines.length))).toEqual([47, 8, 46]);
});
