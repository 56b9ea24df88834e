/** Paths without node:path. */
import { expect, test } from "bun:test";
import { posix } from "node:path";
import fc from "fast-check";
import { basename, dirname, join, resolve } from "../../src/platform/path.ts";

const path = fc
  .array(fc.constantFrom("/", "/", ".", "..", "a", "b c", "…", ".hidden", ""), { maxLength: 8 })
  .map((parts) => parts.join(""));

test("[S1.3] an absolute path needs no working folder", () => {
  const { cwd } = process;
  process.cwd = () => {
    throw new Error("it was deleted");
  };
  try {
    expect(resolve("x", "/a/b", "../c", "")).toBe("/a/c");
  } finally {
    process.cwd = cwd;
  }
});

test("[S1.3] paths are what node:path makes of them", () => {
  fc.assert(
    fc.property(path, path, path, (a, b, c) => {
      expect(join(a, b, c)).toBe(posix.join(a, b, c));
      expect(join(a)).toBe(posix.join(a));
      expect(resolve(a, b, c)).toBe(posix.resolve(a, b, c));
      expect(dirname(a)).toBe(posix.dirname(a));
      expect(basename(a)).toBe(posix.basename(a));
    }),
    { numRuns: 5000 },
  );
});
